"""What the broken clients share: the honest terms, the way reports are laid side by side, a fault with a rate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from semildp.audit import AuditStudy, Visit, columns
from semildp.audit.visits import BOUNDS, TREE, Person, both_rounds
from semildp.budgets import Budget
from semildp.mechanisms import label_grid
from semildp.partition import Partition
from semildp.sources import Source, below
from semildp.wire import CellReports, LabelReports, Study

EPSILON = 1.0
BUDGET = Budget(EPSILON)
STUDY = Study(BOUNDS, label_grid("laplace", 0.0, 1.0, BUDGET.label), BUDGET)
PARTITION = Partition(BOUNDS, (0,), 2, TREE)


def lay_out(first: LabelReports, second: CellReports) -> np.ndarray:
    return columns(first.labels, second.cell, first.public, first.mask)


def sometimes_bare(one_in: int) -> Visit:
    """Return an honest visit, as stated, but for one person in so many whose cell goes out as it is."""
    honest = both_rounds(AuditStudy(), "window", "grr", hidden=False)

    def send(person: Person, n: int, source: Source) -> np.ndarray:
        sent = honest.send(person, n, source)
        if np.isfinite(person.features).all():
            bare = below(source.words(n), one_in) == 0
            sent[bare, 1] = PARTITION.cell(person.rows(1)[0])[0]
        return sent

    return replace(honest, name=f"one in {one_in} bare", send=send, mixed=None, everyone=())
