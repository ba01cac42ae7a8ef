"""Totals of the paper's cell reports: all the curator keeps of them. Whole numbers: any order gives the same bits."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from semildp._arrays import Ints
from semildp._kernels.sums import checked_product, checked_sum, exact_total, sums_by_group
from semildp.partition import Partition
from semildp.wire.columns import Enrolled, Marks


@dataclass(frozen=True, eq=False)
class Tally:
    """Four sums per cell, over people or over their noisy labels.

    Parameters
    ----------
    known
        Over people whose only candidate is this cell.
    marks
        Over other people whose report marks this cell.
    sized_marks
        The same, each times the person's number of candidates.
    candidates
        Over other people for whom this cell is a candidate.
    """

    known: Ints
    marks: Ints
    sized_marks: Ints
    candidates: Ints

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(checked_sum(getattr(self, f.name), getattr(other, f.name)) for f in fields(self)))


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums over reports, per cell; two totals of the same partition merge with `+`.

    Parameters
    ----------
    n_people, label_sum
        Number of people and sum of their noisy labels, in steps of the label grid.
    people, labels
        Sums of 1 and of the noisy label.
    sized_candidates
        Per cell, the number of candidates of everyone for whom it is a candidate among others, added up.
    """

    n_people: int
    label_sum: int
    people: Tally
    labels: Tally
    sized_candidates: Ints

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            self.n_people + other.n_people,
            self.label_sum + other.label_sum,
            self.people + other.people,
            self.labels + other.labels,
            checked_sum(self.sized_candidates, other.sized_candidates),
        )


def tally_cells(partition: Partition, enrolled: Enrolled, labels: Ints, marks: Marks) -> Totals:
    """Sum up both reports of the same people, in the same order."""
    return _compiled_totals(partition, enrolled, labels, marks) or _totals(partition, enrolled, labels, marks)


def _compiled_totals(partition: Partition, enrolled: Enrolled, labels: Ints, marks: Marks) -> Totals | None:
    """Do so by the compiled loops, for many people; None where NumPy must do it."""
    loops = partition.loops(len(labels))
    sums = loops and loops.tallies(enrolled.public, enrolled.mask, labels, marks.count, marks.value)
    if not sums:
        return None
    marked, could = sums
    return Totals(
        n_people=len(labels),
        label_sum=exact_total(labels),
        people=Tally(marked[0], marked[2], marked[4], could[0]),
        labels=Tally(marked[1], marked[3], marked[5], could[1]),
        sized_candidates=could[2],
    )


def _totals(partition: Partition, enrolled: Enrolled, labels: Ints, marks: Marks) -> Totals:
    """Do so in NumPy; sums that could pass 2**62 are refused."""
    candidates = partition.candidates(enrolled.public, enrolled.mask)
    size, n_cells = candidates.size, partition.n_cells
    open_ = size > 1
    person, cell = marks.person, marks.value
    unsure = open_[person]
    marker, marked = person[unsure], cell[unsure]
    sure, where_sure = person[~unsure], cell[~unsure]

    def tally(weight: Ints) -> Tally:
        return Tally(
            known=sums_by_group(where_sure, weight[sure], n_cells),
            marks=sums_by_group(marked, weight[marker], n_cells),
            sized_marks=sums_by_group(marked, checked_product(weight, size)[marker], n_cells),
            candidates=candidates.tally(weight * open_),
        )

    return Totals(
        n_people=len(labels),
        label_sum=exact_total(labels),
        people=tally(np.ones(len(labels), dtype=np.int64)),
        labels=tally(labels),
        sized_candidates=candidates.tally(size * open_),
    )
