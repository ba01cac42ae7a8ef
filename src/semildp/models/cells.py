"""A model with one prediction per cell of a partition."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from semildp._arrays import Bools, Floats
from semildp._kernels.threads import over_slices
from semildp.partition import Partition as Cells
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
        """Return mean and variance of each row; a missing entry is averaged over the cells it could be in.

        Features outside their bounds count as on the bound.
        """
        partition = read_partition(self.partition, study.bounds)
        partition.loops(len(X))  # decided once for all slices
        values, people = np.asarray(self.values), np.maximum(np.asarray(self.counts), 0.0)
        variances = np.full(len(values), np.nan) if self.variances is None else np.asarray(self.variances)
        mean, variance = np.empty(len(X)), np.empty(len(X))

        def work(s: slice) -> None:
            rows = X[s]
            missing = np.isnan(rows) if np.isnan(rows).any() else None
            cell = partition.cell(rows if missing is None else np.where(missing, 0.0, rows))
            mean[s], variance[s] = values[cell], variances[cell]
            if missing is not None:
                average_missing(partition, rows, missing, people, ((mean[s], values), (variance[s], variances)))

        over_slices(work, len(X))
        return np.clip(mean, *study.label_bounds, out=mean), variance  # rounding must not lead out of the bounds


def average_missing(
    partition: Cells, X: Floats, missing: Bools, people: Floats, columns: tuple[tuple[Floats, Floats], ...]
) -> None:
    """Write, for rows with missing entries, the average of each column's values over the cells they could be in."""
    rows = np.flatnonzero(missing.any(axis=1))
    for start in range(0, len(rows), _BATCH):
        here = rows[start : start + _BATCH]
        person, cells = partition.candidates(X[here], missing[here]).cells()
        total, size = np.bincount(person, weights=people[cells]), np.bincount(person)
        known = (total > 0)[person]  # where nobody is known to be: all alike
        shares = np.where(known, people[cells], 1.0) / np.where(total > 0, total, size)[person]
        for out, per_cell in columns:
            out[here] = np.bincount(person, weights=shares * per_cell[cells])
