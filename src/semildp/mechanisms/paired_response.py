"""Paired response: candidates are marked now and then, and each mark has a sign."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from semildp._arrays import Floats, Ints
from semildp._checks import privacy_parameter, whole_number
from semildp.errors import InputError
from semildp.mechanisms._marks import HALF, mark_threshold, paired_log_ratio, sign_log_ratio, sign_threshold
from semildp.mechanisms._sizes import LARGEST_ROW
from semildp.mechanisms._thresholds import WORD
from semildp.mechanisms._values import check_values
from semildp.sources import Source

_LARGEST_LISTED = 9
_OWN = np.array([[0, 2, 1], [0, 1, 2]], dtype=np.int64)  # entry by true sign and (nothing, opposite sign, true sign)


@dataclass(frozen=True)
class PairedResponse:
    """Sends nothing, minus or plus for each of k candidates; the private value is 2 * candidate + sign.

    The true candidate is marked with probability a = 1/2, with its sign with probability p = e**epsilon /
    (e**epsilon + 1); each other one is marked with probability b = 2 / (e**epsilon + 3), with a uniform sign.

    Parameters
    ----------
    epsilon
        Privacy parameter of candidate and sign together.
    n_candidates
        k, the number of candidates, at most 2**20.

    Notes
    -----
    *Formal guarantee.* An entry of the true candidate is p / b times as likely as one of another if it has the true
    sign, and (1 - a) / (1 - b) = (1 - p) / b times if it has the opposite one or none. A change of candidate changes
    two entries, so every ratio is at most the quotient of the two factors, e**epsilon; a change of sign alone has
    p / (1 - p) = e**epsilon. Thresholds are multiples of 2**-64, rounded so that the realised ratios are no larger.

    *Edge cases.* With k = 1 the candidate is public knowledge and always marked: only the sign is private. An epsilon
    too small for 64 bits is refused. An output is a row of k entries: 0 nothing, 1 minus, 2 plus. How many words are
    drawn, and what is done with them, does not depend on the value.

    *Reference.* Gu et al. (2020), "PCKV: locally differentially private correlated key-value data collection with
    optimized utility", PCKV-UE with one pair per person.
    """

    epsilon: float
    n_candidates: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", privacy_parameter("epsilon", self.epsilon))
        object.__setattr__(self, "n_candidates", whole_number("n_candidates", self.n_candidates, 1, LARGEST_ROW))

    @property
    def n_values(self) -> int:
        """Two signs for each candidate."""
        return 2 * self.n_candidates

    @property
    def own_marked(self) -> float:
        """Probability a that the true candidate is marked."""
        return 0.5 if self.n_candidates > 1 else 1.0

    @property
    def other_marked(self) -> float:
        """Probability b that another candidate is marked."""
        return 2 * math.exp(-self.epsilon) / (1 + 3 * math.exp(-self.epsilon)) if self.n_candidates > 1 else 0.0

    @property
    def sign_kept(self) -> float:
        """Probability p that a marked true candidate has the true sign."""
        return 1 / (1 + math.exp(-self.epsilon))

    @property
    def contrast(self) -> float:
        """How much likelier a candidate is marked when true than when not: a - b."""
        if self.n_candidates == 1:
            return 1.0
        return -math.expm1(-self.epsilon) / (2 + 6 * math.exp(-self.epsilon))

    @property
    def sign_contrast(self) -> float:
        """How much likelier the true sign is sent than the opposite one: a (2 p - 1)."""
        return self.own_marked * math.tanh(self.epsilon / 2)

    @property
    def output_domain(self) -> Ints:
        """Every row of k entries; refused where k is too large to list them."""
        if self.n_candidates > _LARGEST_LISTED:
            raise InputError(
                f"3**{self.n_candidates} outputs cannot be listed; at most {_LARGEST_LISTED} candidates can."
            )
        entries = (0, 1, 2) if self.n_candidates > 1 else (1, 2)
        return np.array(list(itertools.product(entries, repeat=self.n_candidates)), dtype=np.int64)

    @property
    def realised_epsilon(self) -> Decimal:
        """Exact upper bound on the worst log ratio of the thresholds in use."""
        return sign_log_ratio(self.epsilon, WORD) if self.n_candidates == 1 else paired_log_ratio(self.epsilon)

    @property
    def thresholds(self) -> tuple[int, ...]:
        """How many of 2**64 words give the opposite sign, and each sign of another candidate (0 if there is none)."""
        if self.n_candidates == 1:
            return sign_threshold(self.epsilon, WORD), 0
        return sign_threshold(self.epsilon, HALF), mark_threshold(self.epsilon)

    def draw(self, n: int, source: Source) -> tuple[Ints, Ints]:
        """Draw, for `n` people, the entries of others, and of the true one: 0 nothing, 1 opposite, 2 true sign."""
        words = source.words(n, self.n_candidates + 1)  # one row per person: any division into chunks draws the same
        own, rest = words[:, 0], words[:, 1:]
        flipped, marked = self.thresholds
        opposite = own < np.uint64(flipped)
        if self.n_candidates == 1:
            return np.zeros((n, 1), dtype=np.int64), np.where(opposite, 1, 2)
        others = 2 * (rest < np.uint64(2 * marked)).astype(np.int64) - (rest < np.uint64(marked))  # 1, 2 or 0
        return others, np.where(own < np.uint64(HALF), np.where(opposite, 1, 2), 0)

    def randomise(self, values: Ints, source: Source) -> Ints:
        """Return one row of entries per value."""
        checked = check_values(values, self.n_values)
        rows, own = self.draw(len(checked), source)
        rows[np.arange(len(checked)), checked // 2] = _OWN[checked % 2, own]
        return rows

    def _chances(self) -> tuple[Floats, Floats]:
        """Probabilities of (nothing, opposite sign, true sign) of the true candidate, and the same of another."""
        a, b, p = self.own_marked, self.other_marked, self.sign_kept
        return np.array([1 - a, a * math.exp(-self.epsilon) * p, a * p]), np.array([1 - b, b / 2, b / 2])

    def log_probability(self, outputs: Ints, values: Ints) -> Floats:
        """Return the log probability of each row of entries given the value beside it."""
        rows, pairs = np.asarray(outputs), np.asarray(values)
        with np.errstate(divide="ignore"):
            own, other = (np.log(chances) for chances in self._chances())
        if self.n_candidates > 1:  # without loss where epsilon is large
            other[1:] = -np.logaddexp(self.epsilon, math.log(3))
        own[1] = own[2] - self.epsilon
        possible = ((rows >= 0) & (rows <= 2)).all(axis=1)
        mine = np.clip(rows[np.arange(len(rows)), pairs // 2], 0, 2)
        total = own[_OWN[pairs % 2, mine]]
        if self.n_candidates > 1:  # both signs of another candidate are equally likely
            marked = np.count_nonzero(rows, axis=1) - (mine > 0)
            total = total + marked * other[1] + (self.n_candidates - 1 - marked) * other[0]
        return np.where(possible, total, -np.inf)

    def estimate(self, outputs: Ints) -> Floats:
        """Return unbiased indicators of the 2 k values: half of (people plus or minus signed sum) of each candidate."""
        rows = np.asarray(outputs)
        people = ((rows > 0) - self.other_marked) / self.contrast
        signed = ((rows == 2) * 1.0 - (rows == 1)) / self.sign_contrast
        return np.stack([people - signed, people + signed], axis=2).reshape(len(rows), -1) / 2

    @property
    def influence(self) -> float:
        """How far one report, true or not, can move the sum of a value's indicators: from nothing to a mark on it."""
        if self.n_candidates == 1:
            return 1 / self.sign_contrast
        return (1 / self.contrast + 1 / self.sign_contrast) / 2

    def variance(self, values: Ints) -> Floats:
        """Return the variance of each column of `estimate`, from the three entries a candidate can have."""
        people = (np.array([0.0, 1.0, 1.0]) - self.other_marked) / self.contrast
        signed = np.array([0.0, -1.0, 1.0]) / self.sign_contrast
        same, opposite = (people + signed) / 2, (people - signed) / 2
        own, other = self._chances()
        noise = np.array([other @ same**2, own @ opposite**2, own @ (same - 1) ** 2])
        columns, pairs = np.arange(self.n_values), np.asarray(values)[:, None]
        return np.asarray(noise[(columns // 2 == pairs // 2) * 1 + (columns == pairs)])
