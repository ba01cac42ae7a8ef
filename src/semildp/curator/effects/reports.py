"""Pair reports as evidence on effects: unbiased sums over the cells asked about and the places of a known feature."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.backends import chunks
from semildp.curator.shrinking import to_simplex
from semildp.mechanisms import PairResponse
from semildp.wire.columns import Marks

ALIKE = 10.0  # guess: how many people in a cell must tell how far residuals vary there, to be believed half
BATCH = 1 << 16  # people, or marks, that are read at a time


@dataclass(frozen=True, eq=False)
class EffectReports:
    """The reports to one question.

    Parameters
    ----------
    features, bins
        The private features that were asked about together, all hidden by these people, and the bins of each.
    response, reach
        How cell and residual were sent, and where residuals were cut.
    marks
        What people sent: cell * levels + level.
    known
        Place of each person (row) on each feature's axis (column); -1 where hidden.
    shift
        What has been added to each person's public prediction since they were asked.
    signs
        1 or -1 for each cell, if people sent the residual times the sign of their cell and nothing else; one sum is
        made of these reports then, and none of them tells of cells alone.
    kept
        By how much the mean of cut residuals moves when all residuals move by 1.
    """

    features: tuple[int, ...]
    bins: tuple[int, ...]
    response: PairResponse
    reach: float
    marks: Marks
    known: Ints
    shift: Floats
    signs: Ints | None = None
    kept: float = 1.0

    def __len__(self) -> int:
        return len(self.marks.count)

    def batches(self, size: int) -> Iterator[tuple[slice, EffectReports]]:
        """Yield the reports of so many people at a time, with their positions; few people are one batch."""
        if len(self) <= size:
            yield slice(0, len(self)), self
            return
        first = 0  # mark of the batch
        for rows in chunks(len(self), size):
            count = self.marks.count[rows]
            after = first + int(count.sum())
            marks = Marks(count, self.marks.value[first:after])
            yield rows, replace(self, marks=marks, known=self.known[rows], shift=self.shift[rows])
            first = after

    def of(self, rows: slice) -> EffectReports:
        """Return the reports of some people who are next to each other."""
        return replace(self, marks=self.marks[rows], known=self.known[rows], shift=self.shift[rows])

    @property
    def n_cells(self) -> int:
        """Cells of which there is a sum each; all cells are in one sum if they have signs."""
        return self.response.n_candidates

    @cached_property
    def _sent(self) -> tuple[Ints, Floats]:
        """The cell of each mark, and the number it stands for."""
        cell, level = np.divmod(self.marks.value.astype(np.int64, copy=False), self.response.levels)
        return cell, self.response.scores[level]

    def bin_of_cell(self, feature: int) -> Ints:
        """Return the bin, of a feature that was asked about, of each cell."""
        return np.asarray(np.indices(self.bins).reshape(len(self.bins), -1)[self.features.index(feature)])

    def knows(self, feature: int) -> bool:
        """Say whether the feature is public for all of these people."""
        return bool(self._least_place[feature] >= 0)

    @cached_property
    def _least_place(self) -> Ints:
        return np.asarray(self.known.min(axis=0, initial=0))

    def residuals(self) -> Floats:
        """Return each person's unbiased (and very noisy) residual, as far as it was within reach."""
        found = np.empty(len(self))
        for rows in chunks(len(self), BATCH):
            some = self.of(rows)  # what is made of marks on the way is not kept
            found[rows] = np.bincount(some.marks.person, weights=some._sent[1], minlength=len(some))
        found *= self.reach * self.response.per_score
        return found

    @cached_property
    def _numbers(self) -> tuple[Floats, Floats]:
        """What each mark adds to its cell's sum of residuals, and what each person adds to every cell's."""
        response, (_, score) = self.response, self._sent
        shift = self.kept * self.shift
        own = self.reach * response.per_score * score - response.per_mark * shift[self.marks.person]
        return own, -response.per_person * shift

    def sums(self, place: Ints, places: int) -> Floats:
        """Return unbiased sums of residuals by cell (row) and by `place` of people (column).

        A sum is reach * per_score * scores - kept * sum over people of A * shift, A being the unbiased count of a cell.
        """
        (cell, _), (own, everywhere), person = self._sent, self._numbers, self.marks.person
        total = np.bincount(cell * places + place[person], weights=own, minlength=self.n_cells * places)
        each: Floats = total.reshape(self.n_cells, places).astype(np.float64)
        return each + np.bincount(place, weights=everywhere, minlength=places)

    def indicators(self) -> Floats:
        """Return the unbiased indicators of cells (column) for each person (row)."""
        at = self.marks.person * self.n_cells + self._sent[0]
        marked = np.bincount(at, minlength=len(self) * self.n_cells).reshape(len(self), self.n_cells)
        return np.asarray(self.response.per_mark * marked + self.response.per_person)

    def in_cells(self) -> Floats:
        """Return each person's (row) unbiased residual in each cell (column)."""
        (cell, _), (own, everywhere) = self._sent, self._numbers
        at = self.marks.person * self.n_cells + cell
        found = np.bincount(at, weights=own, minlength=len(self) * self.n_cells).reshape(len(self), self.n_cells)
        return np.asarray(found + everywhere[:, None])

    def product(self, factor: Floats) -> float:
        """Return the sum, over people (row) and cells (column), of a factor times the unbiased residual there."""
        (cell, _), (own, everywhere) = self._sent, self._numbers
        return float(factor[self.marks.person, cell] @ own + everywhere @ factor.sum(axis=1))

    @cached_property
    def _counts(self) -> Ints:
        """How many marks there are of each cell (row) and level (column)."""
        levels = self.response.levels
        found = np.zeros(self.n_cells * levels, dtype=np.int64)
        for rows in chunks(len(self.marks.value), BATCH):
            found += np.bincount(self.marks.value[rows], minlength=len(found))
        return found.reshape(self.n_cells, levels)

    @property
    def _marked(self) -> Ints:
        return np.asarray(self._counts.sum(axis=1))

    @cached_property
    def cell_noise(self) -> Floats:
        """Noise variance of each cell's sum, from the squares of marks on it, less the square of their mean.

        That square is taken off as far as chance does not reach: of k sums that are all noise, the largest has a square
        of about 2 ln 2k variances. Were it taken off in full, sums that are large by chance would seem to be certain.

        Of a few people in a cell, residuals tell little of how far they vary. So it is no smaller than what false marks
        leave, which is known, and what these people leave if each varies as in all cells together, as if `ALIKE` more
        were there. Nor is it smaller than that of residuals with a deviation of a tenth of the reach: marks may all
        stand for 0, or be none.
        """
        response, n = self.response, max(len(self), 1)
        squares = self._counts @ (response.per_square * response.scores**2)
        total = response.per_score * (self._counts @ response.scores)
        people = np.maximum(self.people, max(len(self) / (2 * self.n_cells), 1.0))  # as far as that is known
        beyond = np.maximum(total**2 - 2 * np.log(2 * self.n_cells) * squares, 0.0)
        noise = np.maximum(squares - beyond / people, 0.1 * squares)
        false = n * self._false
        own = np.maximum(noise - false, 0.0)
        each = (own + ALIKE * own.sum() / n) / (self.people + ALIKE)
        least = false + n * 0.01 / self.n_cells
        few = false + np.maximum(self.people, 1.0) * each
        return np.asarray(self.reach**2 * np.maximum.reduce([noise, few, np.full(len(few), least)]))

    @property
    def false_noise(self) -> float:
        """Noise variance that false marks leave in the sum of a cell, per person, also of those who are not there."""
        return self.reach**2 * self._false

    @property
    def _false(self) -> float:
        response = self.response
        false_marks = -response.per_person / response.per_mark
        return float(response.per_square * false_marks * np.mean(response.scores**2))

    @cached_property
    def people(self) -> Floats:
        """How many people are in each cell, as far as reports tell: not negative, and adding up."""
        return to_simplex(self.counted, len(self))

    @property
    def counted(self) -> Floats:
        """Unbiased estimate of how many people are in each cell; it may be negative."""
        return np.asarray(self.response.per_mark * self._marked + self.response.per_person * len(self))

    @property
    def share_noise(self) -> Floats:
        """Noise variance of the share of people in each cell."""
        n = max(len(self), 1)
        most = n * self.response.most_marks  # a subset may have several marks on one cell
        return np.asarray(self.response.per_mark**2 * _variance(self._marked, most) / n**2)

    @property
    def weight(self) -> float:
        """How many people whose cells are known would tell the shares of cells as well as these reports."""
        shares = self.people / max(len(self), 1)
        known = float((shares * (1 - shares)).sum())
        return min(float(len(self)), known / max(float(self.share_noise.sum()), 1e-300))

    def products(self, feature: int, columns: Floats) -> Floats:
        """Return sums of public columns times the unbiased indicator of each bin: column x bin."""
        response, of_cell = self.response, self.bin_of_cell(feature)
        bins, at, sender = self.bins[self.features.index(feature)], of_cell[self._sent[0]], self.marks.person
        each = np.bincount(sender * bins + at, minlength=len(columns) * bins).reshape(len(columns), bins)
        marked = columns.T @ each.astype(np.float64)  # person x bin: the marks there
        cells = np.bincount(of_cell, minlength=bins)
        return np.asarray(response.per_mark * marked + response.per_person * np.outer(columns.sum(axis=0), cells))

    def indicator_noise(self, feature: int) -> Floats:
        """Return the noise variance of the unbiased indicators of bins, summed over people."""
        bins = self.bins[self.features.index(feature)]
        marks = np.bincount(self.bin_of_cell(feature), weights=self._marked, minlength=bins)
        return np.asarray(self.response.per_mark**2 * _variance(marks, len(self.marks.value)))

    def bin_noise(self, feature: int) -> Floats:
        """Return the noise variance of the share of people in each bin of a feature that was asked about."""
        return np.asarray(self.indicator_noise(feature) / max(len(self), 1) ** 2)

    def bin_counts(self, feature: int) -> Floats:
        """Return how many people are in each bin of a feature that was asked about."""
        bins = self.bins[self.features.index(feature)]
        counts: Floats = np.bincount(self.bin_of_cell(feature), weights=self.people, minlength=bins).astype(np.float64)
        return counts


def _variance(marks: Floats | Ints, most: int) -> Floats:
    """Return the variance of counts of marks on cells, of which there may be so many; as if each had one more.

    Of a few people all marks may be on one cell, or none: they would else seem to tell for certain.
    """
    more = np.asarray(marks, dtype=np.float64) + 1
    return np.asarray(more * (1 - more / (most + len(more))))
