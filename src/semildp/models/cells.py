"""A model with one prediction per cell of a partition."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from semildp._arrays import Bools, Floats
from semildp._kernels.threads import over_slices
from semildp.models.bars import Bars, Errors
from semildp.models.within_cells import half_widths
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
        Variance of each prediction, for the mean of E[label | x] over its cell; None where it was not estimated.
    bars
        What error bars are made of, within cells too; without them `variances` stand for them.
    """

    partition: Partition
    values: tuple[float, ...]
    counts: tuple[float, ...]
    levels: tuple[int, ...]
    variances: tuple[float, ...] | None = None
    bars: Bars | None = None

    def predict(self, study: Study, X: Floats) -> tuple[Floats, Floats]:
        """Return mean and variance of each row; a missing entry is averaged over the cells it could be in.

        Features outside their bounds count as on the bound.
        """
        mean, variance = self._averages(study, X, self.variances)
        if self.bars is not None:
            variance = self._errors(study, X, mean, lambda errors: errors.square)
        return mean, variance

    def around(self, study: Study, X: Floats, coverage: float) -> tuple[Floats, Floats]:
        """Return the mean of each row, and how far on either side of it f lies with this probability.

        All people of a cell have the same mean, and so the same interval; with missing entries each row has its own.
        """
        mean, found = self.mean(study, X), np.full(len(X), np.nan)
        if self.bars is not None:
            missing, bounds = np.isnan(X).any(axis=1), study.bounds
            partition = read_partition(self.partition, bounds)
            cells, place = np.unique(partition.cell(X[~missing]), return_inverse=True)
            values = np.clip(np.asarray(self.values), *study.label_bounds)
            found[~missing] = half_widths(partition, bounds, self.bars, values, cells, coverage)[place]
            found[missing] = self._errors(study, X[missing], mean[missing], lambda errors: errors.within(coverage))
        return mean, found

    def _errors(self, study: Study, X: Floats, mean: Floats, read: Callable[[Errors], Floats]) -> Floats:
        """Return what is read off the distribution of errors; NaN if that is not known."""
        found, bounds = np.full(len(X), np.nan), study.bounds
        if self.bars is not None:
            for start in range(0, len(X), _BATCH):
                rows = slice(start, start + _BATCH)
                near = np.clip(X[rows], bounds.low, bounds.high)
                found[rows] = read(self.bars.errors(near, bounds.scale(near), mean[rows]))
        return found

    def mean(self, study: Study, X: Floats) -> Floats:
        """Return the mean of each row alone."""
        return self._averages(study, X, None)[0]

    def _averages(self, study: Study, X: Floats, variances: tuple[float, ...] | None) -> tuple[Floats, Floats]:
        partition = read_partition(self.partition, study.bounds)
        partition.loops(len(X))  # decided once for all slices
        values, people = np.asarray(self.values), np.maximum(np.asarray(self.counts), 0.0)
        spread = np.full(len(values), np.nan) if variances is None else np.asarray(variances)
        mean, variance = np.empty(len(X)), np.empty(len(X))

        def work(s: slice) -> None:
            rows = X[s]
            missing = np.isnan(rows) if np.isnan(rows).any() else None
            cell = partition.cell(rows if missing is None else np.where(missing, 0.0, rows))
            mean[s], variance[s] = values[cell], spread[cell]
            if missing is not None:
                average_missing(partition, rows, missing, people, ((mean[s], values), (variance[s], spread)))

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
