"""Columns of numbers made into codes by their edges, and into cubic splines. Compiled or not, the same bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semildp._arrays import Floats
from semildp._kernels.tables import Codes

INTERVALS = 4  # between the knots of splines
N_SPLINES = INTERVALS + 3


def step_codes(X: Floats, edges: tuple[NDArray[np.float32], ...], *, compiled: bool = False) -> Codes:
    """Return how many edges of its column are below each entry, as a 32-bit number; 0 for NaN: column x row."""
    found = np.empty(X.T.shape, dtype=np.uint8)
    if compiled:
        from semildp._kernels.compiled import columns as loops

        ends = np.cumsum([0, *(len(e) for e in edges)])
        loops.step_codes(X, np.concatenate([*edges, np.zeros(0, np.float32)]), ends, found)
        return found
    for j, cuts in enumerate(edges):
        narrow = X[:, j].astype(np.float32)
        code = np.searchsorted(cuts, narrow)
        code[np.isnan(narrow)] = 0
        found[j] = code
    return found


def spline_columns(X: Floats, low: Floats, high: Floats, basis: Floats, *, compiled: bool = False) -> None:
    """Write the splines of every column of X side by side into zeros, (n, 7 d); constant beyond [low, high].

    With u the place within an interval, the four splines that are not 0 there are (1 - u)^3 / 6,
    (3 u^3 - 6 u^2 + 4) / 6, (-3 u^3 + 3 u^2 + 3 u + 1) / 6 and u^3 / 6.
    """
    scale = INTERVALS / (high - low)
    if compiled:
        from semildp._kernels.compiled import columns as loops

        loops.spline_columns(X, low, scale, basis)
        return
    n, d = X.shape
    place = np.clip((X - low) * scale, 0.0, INTERVALS)
    cell = np.minimum(place.astype(np.int64), INTERVALS - 1)
    u = place - cell
    square = u * u
    cube = square * u
    first = cell + N_SPLINES * np.arange(d)
    row = np.arange(n)[:, None]
    basis[row, first] = (1 - 3 * u + 3 * square - cube) / 6
    basis[row, first + 1] = (3 * cube - 6 * square + 4) / 6
    basis[row, first + 2] = (-3 * cube + 3 * square + 3 * u + 1) / 6
    basis[row, first + 3] = cube / 6
