"""The one check every mechanism makes before it draws anything."""

from __future__ import annotations

import numpy as np

from semildp._arrays import Ints
from semildp._checks import as_array
from semildp.errors import refusal


def check_values(values: Ints, n_values: int | Ints) -> Ints:
    """Refuse values that are not whole numbers in 0..n_values-1."""
    array = as_array("values", values, "iu", 1, "a one-dimensional array of whole numbers")
    if np.ndim(n_values) and np.shape(n_values) != array.shape:
        raise refusal("values", f"as many as there are candidate sets, {np.size(n_values)}", f"{array.size} values")
    if ((array < 0) | (array >= n_values)).any():
        raise refusal("values", "within the mechanism's domain 0..n_values-1", "a value outside it")
    return array.astype(np.int64, copy=False)
