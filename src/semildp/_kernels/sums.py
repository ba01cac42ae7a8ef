"""Exact sums of integers by group. A sum that does not fit in 64 bits is refused, never wrapped around."""

from __future__ import annotations

import numpy as np

from semildp._arrays import Ints
from semildp.errors import InputError

_EXACT_FLOAT = 2.0**52  # half of where float64 stops telling whole numbers apart: room for the rounding of this test
_CAPACITY = 2.0**62  # half of where 64 bits end, likewise


def counts_by_group(group: Ints, n_groups: int) -> Ints:
    """Count how often each of 0..n_groups-1 occurs."""
    return np.bincount(group, minlength=n_groups)


def sums_by_group(group: Ints, values: Ints, n_groups: int) -> Ints:
    """Add integer `values` by group, exactly, whatever their order.

    bincount adds in float64, exact while no partial sum can reach 2**53; beyond that integers are added one by one.
    Refused is a group whose values, taken without sign, add up to 2**62: then no partial sum can wrap around.
    """
    size = np.abs(values.astype(np.float64))
    whole = size.sum()
    if whole < _EXACT_FLOAT:
        return np.bincount(group, weights=values, minlength=n_groups).astype(np.int64)
    if whole >= _CAPACITY and np.bincount(group, weights=size).max() >= _CAPACITY:
        raise overflow()
    total = np.zeros(n_groups, dtype=np.int64)
    np.add.at(total, group, values)
    return total


def checked_sum(one: Ints, other: Ints) -> Ints:
    """Return one + other; refuse a sum that does not fit."""
    if (np.abs(one.astype(np.float64)) + np.abs(other.astype(np.float64)) >= _CAPACITY).any():
        raise overflow()
    return one + other


def checked_product(one: Ints, other: Ints) -> Ints:
    """Return one * other; refuse a product that does not fit."""
    if (np.abs(one.astype(np.float64) * other) >= _CAPACITY).any():
        raise overflow()
    return one * other


def exact_total(values: Ints) -> int:
    """Add all up, however large the sum: the halves of 32 bits apart."""
    return (int((values >> 32).sum()) << 32) + int((values & 0xFFFFFFFF).sum())


def overflow() -> InputError:
    """Return the refusal of sums that do not fit."""
    return InputError(
        "Sums over reports must stay below 2**62 in size. Got more. Lower the number of people or raise epsilon."
    )
