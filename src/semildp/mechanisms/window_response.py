"""Window response: a bounded, unbiased report of a number on a grid."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semildp._arrays import Bools, Floats, Ints
from semildp._checks import privacy_parameter, whole_number
from semildp.mechanisms._replacement import replace_threshold, replacement_log_ratio
from semildp.mechanisms._values import check_values
from semildp.sources import Source, below

_STEPS_TRIED = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)


@dataclass(frozen=True)
class WindowResponse:
    """Sends a whole number near the true one, or now and then a uniform one; every report is bounded.

    Value v of 0..steps has the window of outputs v..v+w-1 among 0..steps+w-1. With q = 1 / (steps + w e**epsilon), each
    output in the window is sent with probability q e**epsilon, each other one with probability q. The mean output is
    linear in v, so a shift and a factor make it unbiased.

    Parameters
    ----------
    epsilon
        Privacy parameter.
    steps
        Private values are the grid points 0..steps.
    width
        Number w of outputs near the true value; None is the one of least variance.

    Notes
    -----
    *Formal guarantee.* Each output has probability between q and q e**epsilon whatever the value is. The probability of
    a uniform draw is rounded up to a multiple of 2**-64, which includes the unevenness of both draws.

    *Edge cases.* steps = 1 and w = 1 is the two-point mechanism of Duchi, Jordan and Wainwright (2018); many steps are
    the piecewise mechanism on a grid. The window w is chosen by the variance, averaged over the values, from public
    numbers only; so is the number of steps in `best_steps`.

    *Reference.* Wang et al. (2019), "Collecting and analyzing multidimensional data with local differential privacy",
    equation (4), on a grid; its mixture with the two-point mechanism is not needed, as the grid has both as its ends.
    """

    epsilon: float
    steps: int
    width: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", privacy_parameter("epsilon", self.epsilon))
        object.__setattr__(self, "steps", whole_number("steps", self.steps, 1, 2**20))
        if self.width is not None:
            object.__setattr__(self, "width", whole_number("width", self.width, 1, 2**22))

    @staticmethod
    def best_steps(epsilon: float) -> int:
        """Return the number of steps that minimises the variance of a uniform label, its random rounding included."""
        rounding = {steps: steps**-2.0 / 6 for steps in _STEPS_TRIED}  # in units of the squared range
        return min(_STEPS_TRIED, key=lambda steps: _least_variance(epsilon, steps)[0] / steps**2 + rounding[steps])

    @cached_property
    def window(self) -> int:
        """Number w of outputs near the true value."""
        return _least_variance(self.epsilon, self.steps)[1] if self.width is None else self.width

    @property
    def thresholds(self) -> tuple[int, ...]:
        """How many of 2**64 words lead to a uniform draw."""
        return (replace_threshold(self.epsilon, self.n_outputs, self.window),)

    @property
    def n_outputs(self) -> int:
        """How many outputs there are."""
        return self.steps + self.window

    @property
    def realised_epsilon(self) -> Decimal:
        """Exact upper bound on the worst log ratio of the threshold in use."""
        return replacement_log_ratio(self.epsilon, self.n_outputs, self.window)

    @property
    def n_values(self) -> int:
        """Grid points 0..steps."""
        return self.steps + 1

    @property
    def output_domain(self) -> Ints:
        """The outputs 0..steps+w-1."""
        return np.arange(self.n_outputs)

    def draw(self, n: int, source: Source) -> tuple[Bools, Ints, Ints]:
        """Draw, for `n` people, whether the response is replaced, by what, and the place in the window otherwise."""
        words = source.words(n, 3)  # one row per person, so that any division into chunks gives the same draws
        threshold = np.uint64(self.thresholds[0])
        return words[:, 0] < threshold, below(words[:, 1], self.n_outputs), below(words[:, 2], self.window)

    def randomise(self, values: Ints, source: Source) -> Ints:
        """Return one output per value."""
        checked = check_values(values, self.n_values)
        replaced, other, place = self.draw(len(checked), source)
        return np.where(replaced, other, checked + place)

    def log_probability(self, outputs: Ints, values: Ints) -> Floats:
        """Return ln(q e**epsilon) inside the window, ln(q) outside; no other output is possible."""
        log_q = -np.logaddexp(math.log(self.steps), math.log(self.window) + self.epsilon)
        inside = (outputs >= values) & (outputs < np.asarray(values) + self.window)
        possible = (np.asarray(outputs) >= 0) & (np.asarray(outputs) < self.n_outputs)
        return np.where(possible, np.where(inside, self.epsilon + log_q, log_q), -np.inf)

    @property
    def _pull(self) -> float:
        """How far the mean output moves per step of the value: the probability of not being replaced."""
        kept = -math.expm1(-self.epsilon) * self.window
        return kept / (self.window + self.steps * math.exp(-self.epsilon))

    def estimate(self, outputs: Ints | Floats) -> Floats:
        """Return the unbiased estimate of the value; linear, so it may be applied to means of outputs."""
        return np.asarray(self.steps / 2 + (outputs - (self.n_outputs - 1) / 2) / self._pull)

    @property
    def influence(self) -> float:
        """How far one report, true or not, can move a sum of estimates, in steps: from the first output to the last."""
        return (self.n_outputs - 1) / self._pull

    def variance(self, values: Ints) -> Floats:
        """Return the variance of `estimate`: quadratic in the distance from the middle."""
        return _variance(self.epsilon, self.steps, self.window, np.asarray(values) - self.steps / 2)

    def mean_variance(self, outputs: Ints) -> float:
        """Estimate the mean variance of many people's estimates from their outputs.

        A variance is a + b d**2 at distance d from the middle. The estimates' mean square distance is that of the
        values plus the mean variance, which gives both. Of two values, whose variance is a - d**2, the estimates do not
        tell d: the answer is then the variance in the middle, the largest.
        """
        a, end = _variance(self.epsilon, self.steps, self.window, np.array([0.0, self.steps / 2]))
        b = (end - a) / (self.steps / 2) ** 2
        if self.n_outputs == 2:
            return float(a)
        square = float(np.mean((self.estimate(outputs) - self.steps / 2) ** 2))
        return float(a + b * max(square - a, 0.0) / (1 + b))


def _variance(epsilon: float, steps: int, window: int, distance: NDArray[Any]) -> Floats:
    """Variance of the estimate, in squared steps, of a value at `distance` from the middle of the grid."""
    size, fall = steps + window, math.exp(-epsilon)
    total = window + steps * fall  # 1 / (q e**epsilon)
    gain = -math.expm1(-epsilon)
    square = fall * size * (size**2 - 1) / 12 + gain * (window * distance**2 + window * (window**2 - 1) / 12)
    pull = gain * window / total
    return np.asarray((square / total - (pull * distance) ** 2) / pull**2)


@lru_cache(maxsize=1024)
def _least_variance(epsilon: float, steps: int) -> tuple[float, int]:
    """Return the least variance, averaged over values uniform on the range, and the window that reaches it."""
    distance = np.arange(steps + 1) - steps / 2
    weight = np.ones(steps + 1)
    weight[[0, -1]] = 0.5

    def average(window: int) -> float:
        return float(weight @ _variance(epsilon, steps, window, distance) / steps)

    low, high = 1, 4 * steps  # the average falls, then rises
    while high - low > 2:
        third = (high - low) // 3
        left, right = low + third, high - third
        low, high = (low, right) if average(left) <= average(right) else (left, high)
    best = min(range(low, high + 1), key=average)
    return average(best), best
