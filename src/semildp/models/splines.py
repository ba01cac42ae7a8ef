"""Cubic B-splines on even knots, by their closed form."""

from __future__ import annotations

import numpy as np

from semildp._arrays import Floats
from semildp._kernels.columns import INTERVALS, N_SPLINES, spline_columns

# Four intervals, as SplineTransformer(n_knots=5); with labels this noisy finer splines are penalised away.
__all__ = ["INTERVALS", "N_SPLINES", "spline_basis"]


def spline_basis(columns: Floats, low: Floats, high: Floats, *, compiled: bool = False) -> Floats:
    """Return the splines of every column side by side, (n, 7 d); constant beyond [low, high]."""
    basis = np.zeros((len(columns), columns.shape[1] * N_SPLINES))
    spline_columns(columns, low, high, basis, compiled=compiled)
    return basis
