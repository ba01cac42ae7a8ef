"""The loops of `columns`, compiled."""

# mypy: disable-error-code="no-untyped-def, misc"
from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def step_codes(X, edges, ends, found):
    """Write how many edges of its column are below each entry, by halving; 0 for NaN."""
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            x = np.float32(X[i, j])
            at, left = ends[j], ends[j + 1] - ends[j]
            while left > 0:  # no branch on x
                half = (left + 1) // 2
                at += half * (edges[at + half - 1] < x)
                left -= half
            found[j, i] = at - ends[j]


@njit(nogil=True, cache=True)
def spline_columns(X, low, scale, basis):
    """Write the four splines that are not 0 of every entry."""
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            place = min(max((X[i, j] - low[j]) * scale[j], 0.0), 4.0)
            cell = min(int(place), 3)
            u = place - cell
            square = u * u
            cube = square * u
            first = 7 * j + cell
            basis[i, first] = (1 - 3 * u + 3 * square - cube) / 6
            basis[i, first + 1] = (3 * cube - 6 * square + 4) / 6
            basis[i, first + 2] = (-3 * cube + 3 * square + 3 * u + 1) / 6
            basis[i, first + 3] = cube / 6
