"""Discrete Laplace noise on a public grid: the label mechanism of the paper, without its floating-point leak."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, partial
from itertools import islice

import numpy as np

from semildp._arrays import Floats, Ints
from semildp._checks import privacy_parameter, whole_number
from semildp._kernels.threads import in_threads
from semildp.errors import InputError, refusal
from semildp.mechanisms._geometric import Block, GeometricSampler, block_size
from semildp.mechanisms._thresholds import with_80_digits
from semildp.mechanisms._values import check_values
from semildp.sources import Source

EPSILON_PER_STEP = 2.0**-40  # keeps 64-bit sums of noise over a million people from overflowing
_LARGEST_LISTED = 2**24


@dataclass(frozen=True)
class DiscreteLaplace:
    """Adds two-sided geometric noise to a whole number.

    Parameters
    ----------
    epsilon
        Privacy parameter, at least 2**-40 per step.
    steps
        Private values are the grid points 0..steps, so the sensitivity is `steps`.

    Notes
    -----
    *Formal guarantee.* P(output = z | v) is proportional to e**(-r |z - v|) with r = epsilon' / steps, so any two
    values differ by at most e**epsilon'. epsilon' is epsilon less (1 + epsilon) 2**-50, which is more than the
    sampler's thresholds can lose to rounding; `realised_epsilon` bounds their loss exactly. The noise is the difference
    of two geometric numbers; for |z| the terms of that convolution can be matched one by one, so the bound on one
    geometric number is a bound on the difference.

    *Edge cases.* Values off the grid are refused. Outputs are all the integers: nothing is cut off.

    *Reference.* Equation (3) of the paper, 4M/epsilon being (hi - lo)/(rho epsilon) at rho = 1/2, on a grid as in
    Ghosh, Roughgarden and Sundararajan (2012), "Universally utility-maximizing privacy mechanisms"; the leak it avoids
    is Mironov (2012), "On significance of the least significant bits for differential privacy".
    """

    epsilon: float
    steps: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", privacy_parameter("epsilon", self.epsilon))
        object.__setattr__(self, "steps", whole_number("steps", self.steps, 1, 2**30))
        if self.epsilon < self.steps * EPSILON_PER_STEP:
            raise refusal("epsilon", f"at least steps * 2**-40 = {self.steps * EPSILON_PER_STEP}", repr(self.epsilon))

    @cached_property
    @with_80_digits
    def _sampler(self) -> GeometricSampler:
        epsilon = Decimal(self.epsilon)
        slack = (1 + epsilon) * Decimal(2) ** -50
        return GeometricSampler((epsilon - slack) / self.steps)

    @property
    def realised_epsilon(self) -> Decimal:
        """Exact upper bound on the worst log ratio of the thresholds in use."""
        return self._sampler.log_ratio_bound(self.steps)

    @property
    def thresholds(self) -> tuple[int, ...]:
        """The thresholds of a geometric number: of one more step of its tail, then of its low digits, lowest first."""
        return (self._sampler.tail_threshold, *self._sampler.digit_thresholds)

    @property
    def n_values(self) -> int:
        """Grid points 0..steps."""
        return self.steps + 1

    @property
    def output_domain(self) -> Ints:
        """The integers, cut where less than 2**-60 of the mass is left."""
        size = self.influence + 1
        if size > _LARGEST_LISTED:
            raise InputError(f"{size} outputs cannot be listed; at most {_LARGEST_LISTED} can.")
        return np.arange(-self.farthest, self.steps + self.farthest + 1)

    @property
    def farthest(self) -> int:
        """How far beyond the grid a report may lie for a curator to accept it: noise is larger once in 2**60."""
        return math.ceil(42.0 / self._rate)

    @property
    def _rate(self) -> float:
        return float(self._sampler.rate)

    def noise(self, n: int, source: Source) -> Ints:
        """Draw the noise of `n` people; it does not depend on their values."""
        out, size = np.zeros(n, dtype=np.int64), block_size(source)
        blocks = self._sampler.blocks(2 * n, source)  # the first n numbers, then those that are taken off them

        def add(block: Block) -> Ints:
            numbers = block.numbers()
            out[block.start : block.start + size] += numbers[: n - block.start]
            return numbers[n - block.start :]

        def take_off(block: Block) -> None:
            out[block.start - n : block.start - n + size] -= block.numbers()

        for rest in in_threads(partial(add, block) for block in islice(blocks, -(-n // size))):
            out[: len(rest)] -= rest
        in_threads(partial(take_off, block) for block in blocks)
        return out

    def randomise(self, values: Ints, source: Source) -> Ints:
        """Return each value plus noise."""
        checked = check_values(values, self.n_values)
        noisy = self.noise(len(checked), source)
        noisy += checked
        return noisy

    def log_probability(self, outputs: Ints, values: Ints) -> Floats:
        """Return ln(tanh(r / 2)) - r |output - value|."""
        return np.asarray(math.log(math.tanh(self._rate / 2)) - self._rate * np.abs(outputs - values))

    def estimate(self, outputs: Ints | Floats) -> Floats:
        """Return the outputs themselves: the noise is symmetric."""
        return outputs.astype(np.float64)

    @property
    def influence(self) -> int:
        """How far one accepted report, true or not, can move a sum of estimates, in steps; see `farthest`."""
        return 2 * self.farthest + self.steps

    def variance(self, values: Ints) -> Floats:
        """Return 2 q / (1 - q)**2 with q = e**-r, the same for every value."""
        return np.full(len(values), 2 * math.exp(-self._rate) / math.expm1(-self._rate) ** 2)

    def mean_variance(self, outputs: Ints) -> float:
        """Return the mean variance of many people's estimates; it is the same for all, whatever they sent."""
        return float(self.variance(np.zeros(1, dtype=np.int64))[0])
