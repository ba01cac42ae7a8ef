"""Generalised randomised response: send the true candidate, or now and then a uniformly drawn one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial

import numpy as np

from semildp._arrays import Bools, Floats, Ints, Words
from semildp._checks import privacy_parameter
from semildp._kernels.threads import in_threads, slices
from semildp.mechanisms._replacement import replace_threshold, replacement_log_ratio
from semildp.mechanisms._sizes import by_size, check_sizes, one_size
from semildp.mechanisms._values import check_values
from semildp.mechanisms.base import IndicatorWeights
from semildp.sources import Source, below, later


@dataclass(frozen=True, eq=False)
class GeneralisedResponse:
    """Sends one of k candidates: the true one with probability e**epsilon / (e**epsilon + k - 1), else another.

    Parameters
    ----------
    epsilon
        Privacy parameter.
    n_candidates
        k, the number of candidates: one number, or one per person.

    Notes
    -----
    *Formal guarantee.* Each output has probability between 1/(e**epsilon + k - 1) and e**epsilon times that, whatever
    the true candidate is. The probability of replacing the truth is rounded up to a multiple of 2**-64, which includes
    the unevenness of the uniform draw, so the realised ratio never exceeds e**epsilon.

    *Edge cases.* With k = 1 the candidate is public knowledge and is sent as it is. An epsilon so small that 64 bits
    cannot hold the difference from a uniform draw is refused.

    *Reference.* Appendix A.1 of the paper; Kairouz, Bonawitz and Ramage (2016), "Discrete distribution estimation under
    local privacy".
    """

    epsilon: float
    n_candidates: int | Ints

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", privacy_parameter("epsilon", self.epsilon))
        check_sizes(self.n_candidates)

    @property
    def n_values(self) -> int:
        """The number of candidates, where it is one number."""
        return one_size(self.n_candidates)

    @property
    def output_domain(self) -> Ints:
        """The candidates 0..k-1."""
        return np.arange(self.n_values)

    @property
    def realised_epsilon(self) -> Decimal:
        """Exact upper bound on the worst log ratio of the threshold in use."""
        return Decimal(0) if self.n_values == 1 else replacement_log_ratio(self.epsilon, self.n_values)

    @property
    def thresholds(self) -> tuple[int, ...]:
        """How many of 2**64 words replace the truth; none where there is one candidate."""
        return (replace_threshold(self.epsilon, self.n_values) if self.n_values > 1 else 0,)

    def draw(self, n: int, source: Source) -> tuple[Bools, Ints]:
        """Draw, for `n` people, whether the truth is replaced and by which candidate; independent of the values."""
        sizes = np.broadcast_to(np.asarray(self.n_candidates, dtype=np.int64), (n,))
        thresholds = np.broadcast_to(by_size(sizes, self._threshold), (n,))
        replaced, other = np.empty(n, dtype=np.bool_), np.empty(n, dtype=np.int64)

        def some(s: slice, later_words: Callable[[], Words]) -> None:
            words = later_words()  # one row per person, so that any division into chunks gives the same draws
            replaced[s], other[s] = words[:, 0] < thresholds[s], below(words[:, 1], sizes[s])

        in_threads(partial(some, s, later(source, s.stop - s.start, 2)) for s in slices(n))
        return replaced, other

    def randomise(self, values: Ints, source: Source) -> Ints:
        """Return one candidate per person."""
        checked = check_values(values, self.n_candidates)
        replaced, other = self.draw(len(checked), source)
        return np.where(replaced, other, checked)

    def _threshold(self, size: int) -> np.uint64:
        return np.uint64(replace_threshold(self.epsilon, size) if size > 1 else 0)

    def log_probability(self, outputs: Ints, values: Ints) -> Floats:
        """Return ln of e**epsilon / (e**epsilon + k - 1) where output equals value, of 1 / (...) elsewhere."""
        log_total = np.logaddexp(self.epsilon, math.log(self.n_values - 1)) if self.n_values > 1 else self.epsilon
        return np.where(np.asarray(outputs) == values, self.epsilon - log_total, -log_total)

    @staticmethod
    def contrast(epsilon: float, size: int) -> float:
        """Return p - q: how much likelier a symbol is when true than when not. Does not overflow."""
        return -math.expm1(-epsilon) / (1 + (size - 1) * math.exp(-epsilon))

    @staticmethod
    def weights(epsilon: float) -> IndicatorWeights:
        """Return the inverse: the subtracted constant is 1 / (e**epsilon - 1) whatever k is."""
        w = math.exp(-epsilon) / -math.expm1(-epsilon)  # 1 / (e**epsilon - 1), without overflow
        return IndicatorWeights(1.0, w, -w, noise=w * (1.0 - w), sized_noise=w * w)

    def estimate(self, outputs: Ints) -> Floats:
        """Return unbiased indicators, one row per output and one column per candidate."""
        inverse, size = self.weights(self.epsilon), self.n_values
        marks = np.asarray(outputs)[:, None] == np.arange(size)
        return np.asarray(marks * (inverse.per_mark + size * inverse.per_sized_mark) + inverse.per_candidate)

    @property
    def influence(self) -> float:
        """How far one report, true or not, can move the sum of a candidate's indicators; 0 if there is no choice."""
        return 1 / self.contrast(self.epsilon, self.n_values) if self.n_values > 1 else 0.0

    def variance(self, values: Ints) -> Floats:
        """Return the variance of each column of `estimate`."""
        inverse, size = self.weights(self.epsilon), self.n_values
        candidates = np.arange(size)
        share = np.exp(self.log_probability(candidates, np.asarray(values)[:, None]))
        return np.asarray((inverse.per_mark + size * inverse.per_sized_mark) ** 2 * share * (1 - share))
