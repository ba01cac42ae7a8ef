"""What the broken clients share: the honest terms, and the way reports are laid side by side. No fault in here."""

from __future__ import annotations

import numpy as np

from semildp.audit import columns
from semildp.audit.visits import BOUNDS, TREE
from semildp.budgets import Budget
from semildp.mechanisms import label_grid
from semildp.partition import Partition
from semildp.wire import CellReports, LabelReports, Study

EPSILON = 1.0
BUDGET = Budget(EPSILON)
STUDY = Study(BOUNDS, label_grid("laplace", 0.0, 1.0, BUDGET.label), BUDGET)
PARTITION = Partition(BOUNDS, (0,), 2, TREE)


def lay_out(first: LabelReports, second: CellReports) -> np.ndarray:
    return columns(first.labels, second.cell, first.public, first.mask)
