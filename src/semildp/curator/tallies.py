"""How batches of reports are added up: small objects that any process can be sent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Ints
from semildp._kernels.sums import checked_sum, overflow
from semildp.curator.joint import JointTerms, JointTotals, tally_joint
from semildp.curator.totals import Totals, tally_cells
from semildp.curator.waves import Batch
from semildp.partition import Partition


@dataclass(frozen=True, eq=False)
class CellTally:
    """Adds up cells with the labels that the same people sent in the first wave."""

    partition: Partition

    def __call__(self, batch: Batch) -> Totals:
        """Return the totals of a batch."""
        (labels,) = batch.earlier(0)
        return tally_cells(self.partition, batch.enrolled, labels.value, batch.answers[0])


@dataclass(frozen=True, eq=False)
class ClassCellTotals:
    """Totals of cells for each class, whose label is 1 where the class was sent; two of them merge with `+`."""

    of_class: tuple[Totals, ...]

    def __add__(self, other: ClassCellTotals) -> ClassCellTotals:
        return ClassCellTotals(tuple(a + b for a, b in zip(self.of_class, other.of_class, strict=True)))


@dataclass(frozen=True, eq=False)
class ClassCellTally:
    """Adds up cells with the classes that the same people sent in the first wave, one class each."""

    partition: Partition
    n_classes: int

    def __call__(self, batch: Batch) -> ClassCellTotals:
        """Return the totals of a batch."""
        (sent,), (cells,) = batch.earlier(0), batch.answers
        marks = [(sent.value == c).astype(np.int64) for c in range(self.n_classes)]
        return ClassCellTotals(tuple(tally_cells(self.partition, batch.enrolled, each, cells) for each in marks))


@dataclass(frozen=True, eq=False)
class PairTally:
    """Adds up cells that were sent together with residuals."""

    terms: JointTerms

    def __call__(self, batch: Batch) -> JointTotals:
        """Return the totals of a batch."""
        return tally_joint(self.terms, batch.enrolled, batch.answers[0])


@dataclass(frozen=True, eq=False)
class HistogramTotals:
    """Sums over reports that have two numbers for every cell; two totals of the same histogram merge with `+`.

    Parameters
    ----------
    n_people
        How many people sent one.
    sums
        Per cell, the sum of noisy indicators (first row) and of noisy labels.
    """

    n_people: int
    sums: Ints

    @classmethod
    def of(cls, vectors: Ints) -> HistogramTotals:
        """Add up the vectors of some people, (people, 2, cells); sums that could leave 64 bits are refused."""
        if (np.abs(vectors.astype(np.float64)).sum(axis=0) >= 2.0**62).any():
            raise overflow()
        return cls(len(vectors), np.asarray(vectors.sum(axis=0)))

    def __add__(self, other: HistogramTotals) -> HistogramTotals:
        return HistogramTotals(self.n_people + other.n_people, checked_sum(self.sums, other.sums))


@dataclass(frozen=True)
class HistogramTally:
    """Adds up a noisy indicator and a noisy label for every cell."""

    n_cells: int

    def __call__(self, batch: Batch) -> HistogramTotals:
        """Return the totals of a batch."""
        return HistogramTotals.of(batch.answers[0].value.reshape(len(batch.people), 2, self.n_cells))
