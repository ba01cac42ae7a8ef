"""The order in which marks were listed, as columns."""

from __future__ import annotations

import numpy as np

from semildp._arrays import Ints

ORDER = 3  # columns that say how marks were listed
_KEY = 61


def listing(person: Ints, value: Ints, n: int) -> Ints:
    """Return, for each of n people, how the marks as sent differ from ascending order: three numbers, 0 if not at all.

    These are the rank of the mark listed first, how many are out of place, and a checksum of where they are.
    """
    step, up = np.diff(person), np.diff(value) > 0
    if ((step > 0) | ((step == 0) & up)).all():
        return np.zeros((n, ORDER), dtype=np.int64)
    listed = np.argsort(person, kind="stable")
    who, marks = person[listed], value[listed]
    first = np.searchsorted(who, np.arange(n))
    position = np.arange(len(who)) - first[who]
    rank = np.empty_like(position)
    rank[np.lexsort((marks, who))] = position
    moved = rank - position
    out = np.zeros((n, ORDER), dtype=np.int64)
    out[who[position == 0], 0] = rank[position == 0]
    out[:, 1] = np.bincount(who, moved != 0, n)
    out[:, 2] = np.bincount(who, moved * (1 + 17 * position % _KEY), n).astype(np.int64) % _KEY
    return out
