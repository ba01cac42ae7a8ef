"""The loops of `columns`, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

BUCKETS = 1024  # of the range of a column's edges: most hold one edge or none


@njit(nogil=True, cache=True)
def step_codes(X, edges, ends, found):
    """Write how many edges of its column are below each entry; 0 for NaN.

    An edge in a lower bucket is below, one in a higher bucket is not; those in the same bucket are searched by halving.
    """
    upto = np.empty(BUCKETS + 1, np.int64)
    for j in range(X.shape[1]):
        cuts = edges[ends[j] : ends[j + 1]]
        if len(cuts) == 0:
            found[j, :] = 0
            continue
        low = np.float64(cuts[0])
        scale = BUCKETS / (np.float64(cuts[-1]) - low) if cuts[-1] > cuts[0] else 0.0
        for b in range(BUCKETS + 1):
            upto[b] = 0
        for e in cuts:
            upto[min(int((np.float64(e) - low) * scale), BUCKETS - 1) + 1] += 1
        for b in range(BUCKETS):
            upto[b + 1] += upto[b]
        for i in range(X.shape[0]):
            x = np.float32(X[i, j])
            if not x > cuts[0]:
                found[j, i] = 0
                continue
            bucket = int(min((np.float64(x) - low) * scale, BUCKETS - 1.0))
            at, left = upto[bucket], upto[bucket + 1] - upto[bucket]
            while left > 0:
                half = (left + 1) // 2
                at += half * (cuts[at + half - 1] < x)
                left -= half
            found[j, i] = at


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
