"""The order in which a report lists its marks: it must not depend on what is private, given which marks they are."""

from __future__ import annotations

import itertools
from typing import TypeVar

import numpy as np
from scipy.stats import hypergeom

from semildp._arrays import Ints
from semildp.audit.finding import ViolationError
from semildp.audit.statistics import STATEMENT
from semildp.audit.visits.visit import Outputs, Visit
from semildp.sources import Source

Input = TypeVar("Input")

PEOPLE = 1 << 12  # per input
_FEWEST = 20  # reports with the same marks, below which nothing could be seen


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
