"""A model with probabilities of classes for each cell of a partition."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from semildp._arrays import Floats
from semildp._kernels.threads import over_slices
from semildp.models.additive import CHUNK
from semildp.models.bars import Bars, Errors
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
        For each cell and class, the mean square of the share of the class in the cell less the probability; None where
        it was not estimated.
    bars
        What error bars are made of, of 1{label = c} for each class c; of two classes that of the second alone; none
        where there are no error bars.
    """

    partition: Partition
    prior: tuple[float, ...]
    strength: float
    probabilities: Rows
    counts: tuple[float, ...]
    variances: Rows | None = None
    bars: tuple[Bars, ...] = ()

    def probabilities_at(self, study: Study, X: Floats) -> Floats:
        """Return the probabilities of each row; a missing entry is averaged over the cells it could be in.

        Features outside their bounds count as on the bound.
        """
        partition = read_partition(self.partition, study.bounds)
        partition.loops(len(X))  # decided once for all slices
        values, people = np.asarray(self.probabilities), np.maximum(np.asarray(self.counts), 0.0)
        found = np.empty((len(X), values.shape[1]))

        def work(s: slice) -> None:
            rows = X[s]
            missing = np.isnan(rows) if np.isnan(rows).any() else None
            cell = partition.cell(rows if missing is None else np.where(missing, 0.0, rows))
            found[s] = values[cell]
            if missing is not None:
                columns = tuple((found[s][:, c], values[:, c]) for c in range(values.shape[1]))
                average_missing(partition, rows, missing, people, columns)

        over_slices(work, len(X))
        return np.asarray(found / found.sum(axis=1, keepdims=True))  # averages add up to 1 but for rounding

    def predict_proba(self, study: Study, X: Floats) -> tuple[Floats, Floats]:
        """Return probabilities and the mean squares of their errors; NaN where these are not known."""
        return self._with_errors(study, X, lambda errors: errors.square)

    def around(self, study: Study, X: Floats, coverage: float) -> tuple[Floats, Floats]:
        """Return probabilities, and how far on either side of each the true one lies with this probability."""
        return self._with_errors(study, X, lambda errors: errors.within(coverage))

    def _with_errors(self, study: Study, X: Floats, read: Callable[[Errors], Floats]) -> tuple[Floats, Floats]:
        """Return probabilities, and what is read off the distribution of their errors; of two classes it is the same.

        A belief about 1{label = c} does not depend on what is predicted, so the part by which probabilities were drawn
        to the prior counts as an error.
        """
        found, bounds = self.probabilities_at(study, X), study.bounds
        error = np.full(found.shape, np.nan)
        for start in range(0, len(X), CHUNK):
            rows = slice(start, start + CHUNK)
            near = np.clip(X[rows], bounds.low, bounds.high)
            for own, bars in enumerate(self.bars, start=int(len(self.bars) == 1)):
                errors = bars.errors(near, bounds.scale(near), found[rows, own])
                error[rows, own] = read(errors.cut(found[rows, own]))
        if len(self.bars) == 1:
            error[:, 0] = error[:, 1]
        return found, error
