"""The locally private histogram (Hist), on the device: two noisy vectors over all cells, everything being private."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semildp.domains import LabelGrid
from semildp.errors import refusal
from semildp.mechanisms import DiscreteLaplace
from semildp.sources import Source

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def report_histogram(
    grid: LabelGrid, cell: Ints, y: Floats, n_cells: int, epsilon: float, source: Source
) -> tuple[Ints, Ints]:
    """Return, for each person, the noisy indicator and the noisy label of every cell, one row per person.

    Indicators are in units of 1 / grid.steps; labels are in grid steps from the middle of the grid, 0 outside a
    person's cell. Half of epsilon goes to each vector. A change of cell changes two indicators by 1 each, so each entry
    has a quarter of epsilon. Of the label vector it changes two entries by half the label range each, and a change of
    label one entry by the range, so each entry has the half.
    """
    if grid.steps % 2:
        raise refusal("steps", "even, so that the middle of the label range is a grid point", grid.steps)
    shape, middle, people = (len(cell), n_cells), grid.steps // 2, np.arange(len(cell))
    mass, label = np.zeros(shape, dtype=np.int64), np.full(shape, middle, dtype=np.int64)
    mass[people, cell] = grid.steps
    label[people, cell] = grid.encode(y)
    noisy_mass = DiscreteLaplace(epsilon / 4, grid.steps).randomise(mass.reshape(-1), source)
    noisy_label = DiscreteLaplace(epsilon / 2, grid.steps).randomise(label.reshape(-1), source)
    return noisy_mass.reshape(shape), noisy_label.reshape(shape) - middle
