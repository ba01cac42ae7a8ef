"""Binary randomised response: one noisy bit for each candidate."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp._checks import privacy_parameter
from semildp.errors import InputError, refusal
from semildp.mechanisms._sizes import LARGEST_ROW, by_size, check_sizes, one_size
from semildp.mechanisms._thresholds import WORD, ceiling, exp_at_most, ln_at_least, with_80_digits
from semildp.mechanisms._values import check_values
from semildp.mechanisms.base import IndicatorWeights
from semildp.sources import Source

_LARGEST_LISTED = 16


@lru_cache(maxsize=256)
@with_80_digits
def flip_threshold(epsilon: float) -> int:
    """Return T such that flipping with probability T / 2**64 keeps one bit's ratio at or below e**(epsilon / 2)."""
    threshold = ceiling((WORD / (1 + exp_at_most(Decimal(epsilon) / 2))).next_plus())
    if 2 * threshold >= WORD:
        raise refusal("epsilon", "large enough for a bit to carry anything", repr(epsilon))
    return threshold


@dataclass(frozen=True, eq=False)
class BinaryResponse:
    """Sends a bit for each of k candidates, 1 for the true one; each is kept with odds e**(epsilon / 2) to 1.

    Parameters
    ----------
    epsilon
        Privacy parameter of the whole vector of bits.
    n_candidates
        k, the number of candidates, at most 2**20: one number, or one per person.

    Notes
    -----
    *Formal guarantee.* Two true candidates give vectors that differ in two bits, so every output's probability changes
    by at most e**(epsilon / 2) twice. The probability of a flip is rounded up to a multiple of 2**-64.

    *Edge cases.* With k = 1 the candidate is public knowledge: the bit is 1. Outputs of several people are laid end to
    end, k bits each.

    *Reference.* Equations (4) and (6) of the paper, epsilon being its epsilon / 2; Warner (1965), "Randomized
    response: a survey technique for eliminating evasive answer bias".
    """

    epsilon: float
    n_candidates: int | Ints

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", privacy_parameter("epsilon", self.epsilon))
        check_sizes(self.n_candidates, LARGEST_ROW)

    @property
    def n_values(self) -> int:
        """The number of candidates, where it is one number."""
        return one_size(self.n_candidates)

    @property
    def output_domain(self) -> Ints:
        """Every vector of k bits, one per row; refused where k is too large to list them."""
        if self.n_values > _LARGEST_LISTED:
            raise InputError(f"2**{self.n_values} outputs cannot be listed; at most {_LARGEST_LISTED} candidates can.")
        if self.n_values == 1:
            return np.ones((1, 1), dtype=np.int64)
        return np.array(list(itertools.product((0, 1), repeat=self.n_values)), dtype=np.int64)

    @property
    @with_80_digits
    def realised_epsilon(self) -> Decimal:
        """Exact upper bound on the worst log ratio of the threshold in use: two bits change."""
        if self.n_values == 1:
            return Decimal(0)
        threshold = flip_threshold(self.epsilon)
        return (2 * ln_at_least((Decimal(WORD - threshold) / threshold).next_plus())).next_plus()

    @property
    def thresholds(self) -> tuple[int, ...]:
        """How many of 2**64 words flip a bit; none where there is one candidate."""
        return (flip_threshold(self.epsilon) if self.n_values > 1 else 0,)

    def draw(self, n: int, source: Source) -> Bools:
        """Draw which bits of `n` people are flipped, laid end to end; independent of the values."""
        sizes = np.broadcast_to(np.asarray(self.n_candidates, dtype=np.int64), (n,))
        threshold = by_size(sizes, lambda k: np.uint64(flip_threshold(self.epsilon)) if k > 1 else np.uint64(0))
        if len(threshold) > 1:
            threshold = np.repeat(threshold, sizes)
        return np.asarray(source.words(int(sizes.sum())) < threshold)

    def randomise(self, values: Ints, source: Source) -> Ints:
        """Return the bits of all people, laid end to end."""
        checked = check_values(values, self.n_candidates)
        sizes = np.broadcast_to(np.asarray(self.n_candidates, dtype=np.int64), checked.shape)
        flipped = self.draw(len(checked), source)
        flipped[np.cumsum(sizes) - sizes + checked] ^= True
        return flipped.astype(np.int64)

    def log_probability(self, outputs: Ints, values: Ints) -> Floats:
        """Return the log probability of each row of bits given the value beside it."""
        if self.n_values == 1:
            return np.where(np.asarray(outputs).reshape(-1) == 1, 0.0, -np.inf)
        kept = np.asarray(outputs).astype(bool) == (np.arange(self.n_values) == np.asarray(values)[:, None])
        log_flip = -np.logaddexp(0.0, self.epsilon / 2)
        return np.asarray(np.where(kept, self.epsilon / 2 + log_flip, log_flip).sum(axis=1))

    @staticmethod
    def weights(epsilon: float) -> IndicatorWeights:
        """Return the inverse: C (bit - flip) with C = coth(epsilon / 4) and flip = 1 / (1 + e**(epsilon / 2))."""
        scale = 1.0 / math.tanh(epsilon / 4)
        flip = math.exp(-epsilon / 2) / (1.0 + math.exp(-epsilon / 2))
        return IndicatorWeights(scale, 0.0, -scale * flip, noise=scale**2 * flip * (1.0 - flip), sized_noise=0.0)

    def estimate(self, outputs: Ints) -> Floats:
        """Return unbiased indicators, one row per person and one column per candidate."""
        bits = np.asarray(outputs).reshape(-1, self.n_values)
        if self.n_values == 1:
            return bits.astype(np.float64)
        inverse = self.weights(self.epsilon)
        return np.asarray(inverse.per_mark * bits + inverse.per_candidate, dtype=np.float64)

    @property
    def influence(self) -> float:
        """How far one report, true or not, can move the sum of a candidate's indicators; 0 if there is no choice."""
        return self.weights(self.epsilon).per_mark if self.n_values > 1 else 0.0

    def variance(self, values: Ints) -> Floats:
        """Return the variance of each column of `estimate`: the same for every bit."""
        noise = 0.0 if self.n_values == 1 else self.weights(self.epsilon).noise
        return np.full((len(values), self.n_values), noise)
