"""A model with probabilities of classes for each cell of a partition."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from semildp._arrays import Floats
from semildp._kernels.threads import over_slices
from semildp.models.cells import average_missing
from semildp.study import Study
from semildp.wire.forms import read_partition
from semildp.wire.messages import Partition

Rows = tuple[tuple[float, ...], ...]


class ClassCellBody(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="class-cells"):
    """Probabilities of classes in each cell.

    Parameters
    ----------
    partition
        The cells.
    prior
        Estimated shares of the classes among all people.
    strength
        How far probabilities go from the prior (0) to what the reports of a cell say (1).
    probabilities
        For each cell, the probability of each class.
    counts
        Estimated number of people in each cell, over which a missing entry is averaged; may be negative.
    variances
        For each cell and class, the mean square of the probability's error; None where it was not estimated.
    """

    partition: Partition
    prior: tuple[float, ...]
    strength: float
    probabilities: Rows
    counts: tuple[float, ...]
    variances: Rows | None = None

    def predict_proba(self, study: Study, X: Floats) -> tuple[Floats, Floats]:
        """Return probabilities and variances of each row; a missing entry is averaged over the cells it could be in.

        Features outside their bounds count as on the bound.
        """
        partition = read_partition(self.partition, study.bounds)
        partition.loops(len(X))  # decided once for all slices
        values, people = np.asarray(self.probabilities), np.maximum(np.asarray(self.counts), 0.0)
        variances = np.full(values.shape, np.nan) if self.variances is None else np.asarray(self.variances)
        mean, variance = np.empty((len(X), values.shape[1])), np.empty((len(X), values.shape[1]))

        def work(s: slice) -> None:
            rows = X[s]
            missing = np.isnan(rows) if np.isnan(rows).any() else None
            cell = partition.cell(rows if missing is None else np.where(missing, 0.0, rows))
            mean[s], variance[s] = values[cell], variances[cell]
            if missing is not None:
                tables = ((mean[s], values), (variance[s], variances))
                columns = tuple((out[:, c], table[:, c]) for out, table in tables for c in range(values.shape[1]))
                average_missing(partition, rows, missing, people, columns)

        over_slices(work, len(X))
        return mean / mean.sum(axis=1, keepdims=True), variance  # averages add up to 1 but for rounding
