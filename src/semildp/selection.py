"""Choosing the number of histogram features, the depth and the bins from public numbers (AdHistOfTree)."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semildp._arrays import Ints
from semildp._checks import positive_number, privacy_parameter
from semildp.errors import InputError
from semildp.masks import Mask, distinct_rows, ranked_features, times_hidden
from semildp.partition import MAX_CELLS, Shape

_BLOCK = 1 << 13  # rows of a mask looked at together, so that a block stays in cache
_TIE = 1e-9


class MaskProfile:
    """All the selection needs of a mask: how many features people hide after each prefix of the ranking.

    Parameters
    ----------
    mask
        One row per person, True where private. Read once, if there is anything to choose; the search then costs
        nothing per person.
    """

    def __init__(self, mask: Mask) -> None:
        self.n_people, self.n_features = mask.shape
        self._mask = mask

    @cached_property
    def _people_hiding(self) -> Ints:
        """[s, h]: people who hide h of the features after the first s."""
        return _count_hidden(self._mask)

    @cached_property
    def n_ever_private(self) -> int:
        """How many features anybody hides."""
        return int((times_hidden(self._mask) > 0).sum())

    def delta(self, s: int, depth: int) -> float:
        """The paper's delta(p): the mean over people of 2**(p * (features hidden after the first s) / (d - s))."""
        people = self._people_hiding[s]
        hidden = np.flatnonzero(people)
        return float(people[hidden] @ np.exp2(depth * hidden / (self.n_features - s)) / self.n_people)

    def bound(self, epsilon: float, s: int, depth: int, bias_weight: float = 1.0) -> float:
        """The bound on the error that the selection minimises, equation (11) of the paper; infinite if too large."""
        d, n = self.n_features, self.n_people
        if depth * (d + s) / (d - s) > 512:
            return math.inf
        noise = 2.0 ** (depth * (d + s) / (d - s)) * math.log(n) / (n * epsilon**2)
        return float(noise * self.delta(s, depth) + bias_weight * 2.0 ** (-2 * depth / (d - s)))


def select_shape(
    profile: MaskProfile,
    epsilon: float,
    *,
    n_histogram_features: int | None = None,
    depth: int | None = None,
    bins: int | None = None,
    bias_weight: float = 1.0,
) -> Shape:
    """Choose what is not given: s and p minimise the bound, t is 2**(p / (d - s)) rounded, at least 1 (1 if s = 0).

    s runs up to the number of features that anybody hides: a histogram of a feature that is public to all is never
    better than a tree, though the rounding of p can make the bound say so. Ties go to the smallest s, then the smallest
    p. Partitions of more than MAX_CELLS cells are left out. With s = d there is no tree; t then minimises the same
    bound with 2**(p / (d - s)) read as t.

    Parameters
    ----------
    profile
        The mask, summed up.
    epsilon
        Privacy budget of a person.
    n_histogram_features, depth, bins
        What is fixed beforehand.
    bias_weight
        Factor of the second, bias term of the bound; 1 in the paper's theory, one of 0.01, 0.1, 1 in its experiments.
    """
    privacy_parameter("epsilon", epsilon)
    positive_number("bias_weight", bias_weight)
    d, n = profile.n_features, profile.n_people
    if n_histogram_features == d:
        return _histogram_only(profile, epsilon, depth, bins, bias_weight)
    if n_histogram_features is not None and depth is not None and bins is not None:
        return Shape(n_histogram_features, depth, bins)  # nothing to choose: the mask need not be read
    best: tuple[float, Shape] | None = None
    useful = range(min(profile.n_ever_private, d - 1) + 1)
    for s in useful if n_histogram_features is None else (n_histogram_features,):
        for p in range(math.ceil(math.log2(max(n, 1))) + 1) if depth is None else (depth,):
            t = bins or (max(1, round(2.0 ** min(p / (d - s), 32))) if s else 1)
            if t**s * 2**p > MAX_CELLS:
                continue
            value = profile.bound(epsilon, s, p, bias_weight)
            if best is None or value < best[0] * (1 - _TIE):
                best = value, Shape(s, p, t)
    if best is None:  # even the smallest is too large: let Shape say so
        return Shape(n_histogram_features or 0, depth or 0, bins or 1)
    return best[1]


def _histogram_only(
    profile: MaskProfile, epsilon: float, depth: int | None, bins: int | None, bias_weight: float
) -> Shape:
    d, n = profile.n_features, profile.n_people
    if depth:
        raise InputError(f"With all {d} features in the histogram there is no tree. Got depth={depth}; pass depth=0.")

    def bound(t: int) -> float:
        return float(t ** (2 * d) * math.log(n) / (n * epsilon**2) + bias_weight * t**-2.0)

    allowed = range(1, math.floor(MAX_CELLS ** (1 / d) + 1e-9) + 1)
    return Shape(d, 0, bins or min(allowed, key=bound))


def _count_hidden(mask: Mask) -> Ints:
    """Return [s, h]: how many people hide h of the features ranked after the first s."""
    d = mask.shape[1]
    ranking, rows = ranked_features(mask), distinct_rows(mask)
    counts = np.zeros((d, d + 1), dtype=np.int64)
    for start in range(0, len(rows), _BLOCK):
        block = np.ascontiguousarray(rows[start : start + _BLOCK].T).view(np.uint8)
        hidden: NDArray[Any] = np.zeros(block.shape[1], dtype=np.uint8 if d < 256 else np.uint32)
        for s in range(d - 1, -1, -1):  # from the least protected feature up, adding one at a time
            hidden += block[ranking[s]]
            counts[s] += np.bincount(hidden, minlength=d + 1)
    return counts * len(mask) if len(rows) < len(mask) else counts
