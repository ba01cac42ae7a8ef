"""Candidate-set sizes: one number for everybody, or one per person."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from semildp._arrays import Ints, Words
from semildp._checks import short, whole_number
from semildp.errors import InputError, refusal

LARGEST_SIZE = 2**31
_LISTED = 2**16
LARGEST_ROW = 2**20  # where a report has an entry for every candidate


def check_sizes(n_candidates: int | Ints, largest: int = LARGEST_SIZE) -> None:
    """Refuse sizes that are not whole numbers from 1 to `largest`."""
    if not isinstance(n_candidates, np.ndarray):
        whole_number("n_candidates", n_candidates, 1, largest)
    elif (
        n_candidates.dtype.kind not in "iu"
        or n_candidates.ndim > 1
        or ((n_candidates < 1) | (n_candidates > largest)).any()
    ):
        raise refusal("n_candidates", f"whole numbers from 1 to {largest}", short(n_candidates))


def one_size(n_candidates: int | Ints) -> int:
    """Return the size where it is the same for everybody."""
    if np.ndim(n_candidates):
        raise InputError("This needs one `n_candidates` for everybody; this mechanism has one per person.")
    return int(n_candidates)


def by_size(sizes: Ints, value: Callable[[int], np.uint64]) -> Words:
    """Look up `value(size)` for each person (one entry for all where all agree), once per distinct size."""
    if len(sizes) == 0 or sizes.min() == sizes.max():
        return np.array([value(int(k)) for k in sizes[:1]], dtype=np.uint64)
    if sizes.max() < _LISTED:  # a table by size is quicker than sorting
        table = np.zeros(int(sizes.max()) + 1, dtype=np.uint64)
        distinct = np.flatnonzero(np.bincount(sizes))
        table[distinct] = [value(int(k)) for k in distinct]
        return table[sizes]
    distinct, position = np.unique(sizes, return_inverse=True)
    return np.array([value(int(k)) for k in distinct], dtype=np.uint64)[position]
