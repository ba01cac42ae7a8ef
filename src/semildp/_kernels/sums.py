"""Exact sums of integers by group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

_EXACT_FLOAT = 2.0**52  # half of where float64 stops telling whole numbers apart: room for the rounding of this test


def counts_by_group(group: Ints, n_groups: int) -> Ints:
    """Count how often each of 0..n_groups-1 occurs."""
    return np.bincount(group, minlength=n_groups)


def sums_by_group(group: Ints, values: Ints, n_groups: int) -> Ints:
    """Add integer `values` by group, exactly, whatever their order.

    bincount adds in float64, exact while no partial sum can reach 2**53; beyond that integers are added one by one.
    """
    if np.abs(values).sum(dtype=np.float64) < _EXACT_FLOAT:
        return np.bincount(group, weights=values, minlength=n_groups).astype(np.int64)
    total = np.zeros(n_groups, dtype=np.int64)
    np.add.at(total, group, values)
    return total
