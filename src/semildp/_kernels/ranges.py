"""Index arrays that are plain ranges, taken as slices: a view instead of a copy."""

from __future__ import annotations

from semildp._arrays import Ints


def as_slice(index: Ints | slice) -> Ints | slice:
    """Return start:stop if `index` is start, start + 1, ..., stop - 1; else `index` itself."""
    if isinstance(index, slice) or index.dtype.kind not in "iu" or index.ndim != 1 or not len(index):
        return index
    start, stop = int(index[0]), int(index[-1]) + 1
    if start < 0 or stop - start != len(index) or not (index[1:] > index[:-1]).all():
        return index
    return slice(start, stop)
