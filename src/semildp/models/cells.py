"""A model with one prediction per cell of a partition."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from semildp._arrays import Floats
from semildp.study import Study
from semildp.wire.forms import read_partition
from semildp.wire.messages import Partition

_BATCH = 1 << 12  # rows with missing entries looked at together


class CellBody(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="cells"):
    """One prediction per cell.

    Parameters
    ----------
    partition
        The cells.
    values
        Prediction of each cell.
    counts
        Estimated number of people in each cell, over which a missing entry is averaged; may be negative.
    levels
        Where each prediction is from: 0 the cell itself, more a larger cell around it.
    variances
        Variance of each prediction; None where it was not estimated.
    """

    partition: Partition
    values: tuple[float, ...]
    counts: tuple[float, ...]
    levels: tuple[int, ...]
    variances: tuple[float, ...] | None = None

    def predict(self, study: Study, X: Floats) -> tuple[Floats, Floats]:
        """Return mean and variance of each row; a missing entry is averaged over the cells it could be in."""
        values = np.asarray(self.values)
        variances = np.full(len(values), np.nan) if self.variances is None else np.asarray(self.variances)
        partition = read_partition(self.partition, study.bounds)
        missing = np.isnan(X)
        gaps = missing.any(axis=1)
        cell = partition.cell(np.where(missing, 0.0, X))
        mean, variance = values[cell], variances[cell]
        people = np.maximum(np.asarray(self.counts), 0.0)
        rows = np.flatnonzero(gaps)
        for start in range(0, len(rows), _BATCH):
            here = rows[start : start + _BATCH]
            person, cells = partition.candidates(X[here], missing[here]).cells()
            total, size = np.bincount(person, weights=people[cells]), np.bincount(person)
            known = (total > 0)[person]  # where nobody is known to be: all alike
            shares = np.where(known, people[cells], 1.0) / np.where(total > 0, total, size)[person]
            for out, per_cell in ((mean, values), (variance, variances)):
                out[here] = np.bincount(person, weights=shares * per_cell[cells])
        return np.clip(mean, *study.label_bounds), variance  # rounding must not lead out of the bounds
