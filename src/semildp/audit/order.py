"""The order in which a report lists its marks: it must not depend on what is private, given which marks they are."""

from __future__ import annotations

import itertools
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from semildp.audit.finding import ViolationError
from semildp.audit.statistics import STATEMENT
from semildp.audit.visit import Outputs, Visit
from semildp.sources import Source

Input = TypeVar("Input")
Ints = NDArray[np.int64]

PEOPLE = 1 << 12  # per input
_FEWEST = 20  # reports with the same marks, below which nothing could be seen
_KEY = 61


def listing(person: Ints, value: Ints, n: int) -> Ints:
    """Return, for each of n people, how the marks as sent differ from ascending order: three numbers, 0 if not at all.

    These are the rank of the mark listed first, how many are out of place, and a checksum of where they are.
    """
    step, up = np.diff(person), np.diff(value) > 0
    if ((step > 0) | ((step == 0) & up)).all():
        return np.zeros((n, 3), dtype=np.int64)
    listed = np.argsort(person, kind="stable")
    who, marks = person[listed], value[listed]
    first = np.searchsorted(who, np.arange(n))
    position = np.arange(len(who)) - first[who]
    rank = np.empty_like(position)
    rank[np.lexsort((marks, who))] = position
    moved = rank - position
    out = np.zeros((n, 3), dtype=np.int64)
    out[who[position == 0], 0] = rank[position == 0]
    out[:, 1] = np.bincount(who, moved != 0, n)
    out[:, 2] = np.bincount(who, moved * (1 + 17 * position % _KEY), n).astype(np.int64) % _KEY
    return out


def check_order(visit: Visit[Input], source: Source) -> float:
    """Two inputs that send the same marks list them in the same orders equally often (Fisher's exact test)."""
    if visit.listed is None:
        return 1.0
    seen = [visit.listed(visit.send(person, PEOPLE, source)) for person in visit.inputs]
    if not any(order.any() for _, order in seen):
        return 1.0
    marks = np.unique(np.concatenate([_key(sets) for sets, _ in seen]), return_inverse=True)[1]
    orders = np.unique(np.concatenate([_key(order) for _, order in seen]), return_inverse=True)[1]
    table = np.zeros((len(seen), marks.max() + 1, orders.max() + 1), dtype=np.int64)
    np.add.at(table, (np.repeat(np.arange(len(seen)), PEOPLE), marks, orders), 1)
    p_values = []
    for one, other in itertools.combinations(table, 2):
        both = one + other
        total = both.sum(axis=1, keepdims=True)
        use = (total >= _FEWEST) & (both > 0) & (both < total)
        law = hypergeom(*np.broadcast_arrays(total, both, one.sum(axis=1, keepdims=True)))
        p_values.append(2 * np.minimum(law.cdf(one), law.sf(one - 1))[use])
    found = np.concatenate(p_values)
    if found.size and found.min() < STATEMENT / found.size:
        raise ViolationError(
            "People who differ in what is private list the same marks in other orders "
            f"(p-value {found.min():.2g} of {found.size})."
        )
    return min(1.0, float(found.min()) * found.size) if found.size else 1.0


def _key(rows: Outputs) -> Ints:
    """Return one number per row."""
    rows = np.asarray(rows).reshape(len(rows), -1)
    return np.asarray(rows @ np.random.default_rng(0).integers(2**62, size=rows.shape[1]))
