"""Cubic B-splines on even knots, by their closed form."""

from __future__ import annotations

import numpy as np

from semildp._arrays import Floats

INTERVALS = 4  # as SplineTransformer(n_knots=5); with labels this noisy finer splines are penalised away
N_SPLINES = INTERVALS + 3


def spline_basis(columns: Floats, low: Floats, high: Floats) -> Floats:
    """Return the splines of every column side by side, (n, 7 d); constant beyond [low, high].

    With u the place within an interval, the four splines that are not 0 there are (1 - u)^3 / 6,
    (3 u^3 - 6 u^2 + 4) / 6, (-3 u^3 + 3 u^2 + 3 u + 1) / 6 and u^3 / 6.
    """
    n, d = columns.shape
    place = np.clip((columns - low) * (INTERVALS / (high - low)), 0.0, INTERVALS)
    cell = np.minimum(place.astype(np.int64), INTERVALS - 1)
    u = place - cell
    square = u * u
    cube = square * u
    basis = np.zeros(n * d * N_SPLINES)
    first = cell + N_SPLINES * np.arange(n * d, dtype=np.int64).reshape(n, d)
    basis[first] = (1 - 3 * u + 3 * square - cube) / 6
    basis[first + 1] = (3 * cube - 6 * square + 4) / 6
    basis[first + 2] = (-3 * cube + 3 * square + 3 * u + 1) / 6
    basis[first + 3] = cube / 6
    return basis.reshape(n, d * N_SPLINES)
