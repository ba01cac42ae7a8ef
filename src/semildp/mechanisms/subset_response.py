"""Subset selection: a set of candidates of fixed size, with the true one in it more often than the others."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np

from semildp._arrays import Bools, Floats, Ints, Words
from semildp._checks import privacy_parameter, whole_number
from semildp.errors import InputError
from semildp.mechanisms._replacement import subset_log_ratio, subset_threshold
from semildp.mechanisms._values import check_values
from semildp.sources import Source, below

_LARGEST = 2**20  # keeps the unevenness of all draws together below 2**-24
_LARGEST_LISTED = 20_000
_WORDS, _FEWEST = 1 << 16, 1 << 11  # words of a block of people, and people: they stay in the processor's cache


@dataclass(frozen=True)
class SubsetResponse:
    """Sends m of k candidates; a set with the true one is e**epsilon times likelier than one without.

    Parameters
    ----------
    epsilon
        Privacy parameter.
    n_candidates
        k, the number of candidates, at most 2**20.
    width
        Number m of candidates sent; None is the one of least variance.

    Notes
    -----
    *Formal guarantee.* Every set of m candidates has one of two probabilities, whose ratio is e**epsilon. The
    probability of a uniform set is rounded up to a multiple of 2**-64, which includes the unevenness of all draws.

    *Edge cases.* With k = 1 the candidate is public knowledge and is sent as it is; m = 1 is generalised response. An
    epsilon so small that 64 bits cannot hold the difference from a uniform set is refused. An output is a row of k
    zeros and ones. How many words are drawn, and what is done with them, does not depend on the value.

    *Reference.* Ye and Barg (2018), "Optimal schemes for discrete distribution estimation under locally differential
    privacy"; Wang et al. (2016), "Mutual information optimally local private discrete distribution estimation". Sets
    are drawn as in Bentley and Floyd (1987), "Programming pearls: a sample of brilliance".
    """

    epsilon: float
    n_candidates: int
    width: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", privacy_parameter("epsilon", self.epsilon))
        object.__setattr__(self, "n_candidates", whole_number("n_candidates", self.n_candidates, 1, _LARGEST))
        if self.width is not None:
            most = max(1, self.n_candidates - 1)
            object.__setattr__(self, "width", whole_number("width", self.width, 1, most))

    @staticmethod
    def best_size(epsilon: float, n_candidates: int) -> int:
        """Return the m that minimises the variance q (1 - q) / (p - q)**2 of a candidate that is not the true one.

        With f = e**-epsilon and D = (1 - f) m + k f it is (D - 1) (D - f) / (m (k - m) (1 - f)**2). For k f <= 1 it
        grows with m; else it falls up to the root of (1 - f**2) m**2 + c (2 m - k), c = f (k f - 1), and then grows.
        """
        k, f, gap = n_candidates, math.exp(-epsilon), -math.expm1(-epsilon)
        c = f * (k * f - 1)
        if c <= 0 or k < 3:
            return 1
        root = int(c * k / (c + math.sqrt(c * c - math.expm1(-2 * epsilon) * c * k)))

        def noise(m: int) -> float:
            return (gap * m + k * f - 1) * (gap * m + (k - 1) * f) / (m * (k - m))

        return min((min(max(m, 1), k - 1) for m in (root, root + 1)), key=noise)

    @cached_property
    def size(self) -> int:
        """Number m of candidates sent."""
        return self.best_size(self.epsilon, self.n_candidates) if self.width is None else self.width

    @property
    def thresholds(self) -> tuple[int, ...]:
        """How many of 2**64 words lead to a uniform set; none where there is one candidate."""
        return (subset_threshold(self.epsilon, self.n_candidates, self.size) if self.n_candidates > 1 else 0,)

    @property
    def _missed(self) -> float:
        """Probability 1 - p that the true candidate is not sent."""
        others = (self.n_candidates - self.size) * math.exp(-self.epsilon)
        return others / (self.size + others)

    @property
    def other(self) -> float:
        """Probability q that a given candidate is sent which is not the true one."""
        return (self.size - 1 + self._missed) / max(self.n_candidates - 1, 1)

    @property
    def other_pair(self) -> float:
        """Probability that two given candidates are both sent, neither of which is the true one."""
        k, m = self.n_candidates, self.size
        return (m - 1) * (m - 2 + 2 * self._missed) / max((k - 1) * (k - 2), 1)

    @property
    def contrast(self) -> float:
        """How much likelier a candidate is sent when true than when not: p - q."""
        k, m = self.n_candidates, self.size
        if k == 1:
            return 1.0
        return m * (k - m) * -math.expm1(-self.epsilon) / ((k - 1) * (m + (k - m) * math.exp(-self.epsilon)))

    @property
    def realised_epsilon(self) -> Decimal:
        """Exact upper bound on the worst log ratio of the threshold in use."""
        if self.n_candidates == 1:
            return Decimal(0)
        return subset_log_ratio(self.epsilon, self.n_candidates, self.size)

    @property
    def n_values(self) -> int:
        """The number of candidates."""
        return self.n_candidates

    @property
    def output_domain(self) -> Ints:
        """Every set of m candidates, one per row; refused where there are too many to list."""
        k, m = self.n_candidates, self.size
        if k > _LARGEST_LISTED or math.comb(k, m) > _LARGEST_LISTED:
            raise InputError(f"All sets of {m} of {k} candidates cannot be listed; at most {_LARGEST_LISTED} can.")
        sets = np.array(list(itertools.combinations(range(k), m)))
        rows = np.zeros((len(sets), k), dtype=np.int64)
        np.put_along_axis(rows, sets, 1, axis=1)
        return rows

    def draw(self, n: int, source: Source) -> tuple[Bools, Bools, Ints]:
        """Draw, for `n` people, whether a uniform set is sent, that set, and which of it may give way to the truth."""
        words = source.words(
            n, self.size + 2
        )  # a row per person, so that any division into chunks gives the same draws
        size = max(_FEWEST, _WORDS // (self.size + 2))
        blocks = [self._drawn(words[start : start + size]) for start in range(0, max(n, 1), size)]
        uniform, marks, dropped = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        return uniform, marks, dropped

    def _drawn(self, words: Words) -> tuple[Bools, Bools, Ints]:
        n, k, m = len(words), self.n_candidates, self.size
        first, marks = np.arange(n) * k, np.zeros(n * k, dtype=np.bool_)  # where each person's marks begin
        place, dropped = below(words[:, 1], m), np.zeros(n, dtype=np.int64)
        drawn = np.ascontiguousarray(below(words[:, 2:], np.arange(k - m + 1, k + 1)).T)
        for step, taken in enumerate(drawn):
            np.copyto(taken, k - m + step, where=marks[first + taken])
            marks[first + taken] = True
            np.copyto(dropped, taken, where=place == step)
        uniform = words[:, 0] < np.uint64(self.thresholds[0])
        return uniform, marks.reshape(n, k), dropped

    def randomise(self, values: Ints, source: Source) -> Ints:
        """Return one row of zeros and ones per value."""
        checked = check_values(values, self.n_values)
        uniform, marks, dropped = self.draw(len(checked), source)
        people = np.arange(len(checked))
        held = uniform | marks[people, checked]  # nothing is changed
        marks[people, dropped] &= held
        marks[people, checked] |= ~held
        return marks.astype(np.int64)

    def log_probability(self, outputs: Ints, values: Ints) -> Floats:
        """Return the log probability of each row given the value beside it; no row without exactly m ones is sent."""
        k, m, rows = self.n_candidates, self.size, np.asarray(outputs)
        sets = math.lgamma(k) - math.lgamma(m) - math.lgamma(k - m + 1)  # ln of how many hold the true candidate
        inside = math.log1p(-self._missed) - sets
        possible = np.einsum("ij->i", rows) == m
        if rows.size and not 0 <= rows.min() <= rows.max() <= 1:
            possible &= ((rows == 0) | (rows == 1)).all(axis=1)
        true = rows[np.arange(len(rows)), np.asarray(values)] == 1
        return np.where(possible, np.where(true, inside, inside - self.epsilon), -np.inf)

    def estimate(self, outputs: Ints) -> Floats:
        """Return unbiased indicators, one row per person and one column per candidate."""
        return np.asarray((np.asarray(outputs) - self.other) / self.contrast)

    @property
    def influence(self) -> float:
        """How far one report, true or not, can move the sum of a candidate's indicators; 0 if there is no choice."""
        return 1 / self.contrast if self.n_candidates > 1 else 0.0

    def variance(self, values: Ints) -> Floats:
        """Return the variance of each column of `estimate`."""
        own, other = self._missed * (1 - self._missed), self.other * (1 - self.other)
        true = np.asarray(values)[:, None] == np.arange(self.n_candidates)
        return np.asarray(np.where(true, own, other) / self.contrast**2)
