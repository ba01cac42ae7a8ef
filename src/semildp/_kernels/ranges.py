"""Rows by index with as few copies as can be: of a plain range, and of one row that is held once, there is a view."""

from __future__ import annotations

import numpy as np

from semildp._arrays import Bools, Ints


def as_slice(index: Ints | slice) -> Ints | slice:
    """Return start:stop if `index` is start, start + 1, ..., stop - 1; else `index` itself."""
    if isinstance(index, slice) or index.dtype.kind not in "iu" or index.ndim != 1 or not len(index):
        return index
    start, stop = int(index[0]), int(index[-1]) + 1
    if start < 0 or stop - start != len(index) or not (index[1:] > index[:-1]).all():
        return index
    return slice(start, stop)


def rows_at(rows: Bools, index: Ints) -> Bools:
    """Return the rows at these places; where one row is held once for all, it stays so."""
    if rows.strides[0] == 0 and len(rows):
        return np.broadcast_to(rows[0], (len(index), rows.shape[1]))
    return rows.take(index, axis=0)  # twice as fast as indexing
