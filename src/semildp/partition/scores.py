"""Choosing a split by the noisy labels' sums, exactly: ties are ties, not accidents of rounding."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from semildp._arrays import Floats, Ints

_NEAR = 1e-9  # Scores this close, relative to the terms they are made of, are compared as fractions.


def first_best(score: Floats, scale: Floats, exact: Callable[[int, int], Fraction]) -> Ints:
    """Return the column of the smallest score in each row, the first of exact ties; -1 where all are infinite.

    `scale` is the size of the terms a score was computed from, which bounds its rounding error; scores within that
    error of the smallest are compared exactly.
    """
    best = np.argmin(score, axis=1)
    rows = np.arange(len(score))
    lowest = score[rows, best]
    near = score <= (lowest + _NEAR * scale[rows, best])[:, None] + _NEAR * scale
    near &= np.isfinite(score)
    for row in np.flatnonzero(near.sum(axis=1) > 1):
        columns = np.flatnonzero(near[row])
        best[row] = min(columns, key=lambda column: (exact(int(row), int(column)), column))
    return np.where(np.isfinite(lowest), best, -1)


def variance_score(n: Ints, total: Ints, square: Ints) -> tuple[Floats, Floats]:
    """Return var(left) + var(right), sides along the last axis, and the size of its terms; +inf below two people."""
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = (square - total * (total / n)) / (n - 1)
        scale = np.abs(square / (n - 1))
    few = (n < 2).any(axis=-1)
    return np.where(few, np.inf, variance.sum(axis=-1)), np.where(few, 0.0, scale.sum(axis=-1))


def exact_variance_score(n: Ints, total: Ints, square: Ints) -> Fraction:
    """The same for one split, as a fraction."""
    score = Fraction(0)
    for m, s, q in zip(n.tolist(), total.tolist(), square.tolist(), strict=True):
        score += Fraction(m * q - s * s, m * (m - 1))
    return score


def reduction_score(n: Ints, total: Ints) -> tuple[Floats, Floats]:
    """Return minus the fall in the sum of squares, sides along the last axis, and the size of its terms."""
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = (total * (total / n)).sum(axis=-1)
        whole = total.sum(axis=-1) * (total.sum(axis=-1) / n.sum(axis=-1))
        return whole - parts, parts + whole


def exact_reduction_score(n: Ints, total: Ints) -> Fraction:
    """The same for one split, as a fraction."""
    (a, b), (s, r) = n.tolist(), total.tolist()
    return Fraction((s + r) ** 2, a + b) - Fraction(s * s, a) - Fraction(r * r, b)
