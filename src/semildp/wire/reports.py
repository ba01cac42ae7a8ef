"""What people send, as columns: one array per field, one entry or row per person."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LabelReports:
    """Round 1: noisy labels, public features and masks.

    Parameters
    ----------
    labels
        Noisy labels in steps of the label grid.
    public
        Features, NaN where private.
    mask
        True where private.
    """

    labels: Ints
    public: NDArray[np.float64]
    mask: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, people: slice) -> LabelReports:
        return LabelReports(self.labels[people], self.public[people], self.mask[people])


@dataclass(frozen=True, eq=False)
class CellReports:
    """Round 2: the cells that people's reports mark, as pairs.

    Generalised response marks one cell per person; binary response marks the cells whose bit is 1.

    Parameters
    ----------
    person
        Position of the person among those reporting, not decreasing.
    cell
        The marked cell.
    """

    person: Ints
    cell: Ints


@dataclass(frozen=True, eq=False)
class PairReports:
    """The second round: a private feature's bin and a residual level, sent together.

    Parameters
    ----------
    feature
        Per person, the position among the features asked about of the one the person answers about; chosen at random.
    person, value
        The values, bin * levels + level, that people's reports mark: one or several per person, by person.
    """

    feature: Ints
    person: Ints
    value: Ints


@dataclass(frozen=True, eq=False)
class JointReports:
    """The second round where cell and label go together: the pairs that people's reports mark.

    Parameters
    ----------
    person
        Position of the person among those reporting.
    cell, level
        The marked cell, one of the person's candidates, and the marked level of the residual.
    """

    person: Ints
    cell: Ints
    level: Ints
