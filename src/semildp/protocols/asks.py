"""Writing asks down: from a mechanism's name and an epsilon to the public form that travels."""

from __future__ import annotations

import numpy as np

from semildp.mechanisms import CELL_MECHANISMS, LABEL_MECHANISMS, label_grid
from semildp.partition import Partition
from semildp.wire.columns import Enrolled
from semildp.wire.forms import by_size, mechanism_message, partition_message
from semildp.wire.messages import AskCell, AskLabel


def ask_label(mechanism: str, low: float, high: float, epsilon: float) -> AskLabel:
    """Ask for the label: on a fine grid and rounded to the nearest point for Laplace noise, else coarse, at random."""
    grid = label_grid(mechanism, low, high, epsilon)
    randomiser = LABEL_MECHANISMS[mechanism](epsilon, grid.steps)
    return AskLabel(low, high, "random" if mechanism == "window" else "nearest", mechanism_message(randomiser), epsilon)


def ask_cell(partition: Partition, mechanism: str, epsilon: float, enrolled: Enrolled) -> AskCell:
    """Ask for the cell, with a mechanism for each number of candidates that people have."""
    sizes = np.unique(partition.count(enrolled.public, enrolled.mask)).tolist()
    mechanisms = by_size((size, CELL_MECHANISMS[mechanism](epsilon, size)) for size in sizes)
    return AskCell(partition_message(partition), mechanisms, epsilon)
