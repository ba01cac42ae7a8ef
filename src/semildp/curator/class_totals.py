"""Totals of reports of (cell, class): whole numbers, so that any order gives the same bits."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from semildp._arrays import Floats, Ints
from semildp._kernels.sums import checked_sum, sums_by_group
from semildp.curator.waves import Batch
from semildp.mechanisms import ClassResponse
from semildp.partition import Partition
from semildp.partition.sampling import hashed
from semildp.study import Study
from semildp.wire.forms import read_class_response, read_partition
from semildp.wire.messages import AskClass

FOLDS = 2
_FIXED_POINT = 2.0**32  # so fine that the small weight of people with very many candidates is not lost


@dataclass(frozen=True, eq=False)
class ClassTotals:
    """Sums over reports to one ask, by half of the people; two totals of the same ask merge with `+`.

    Everybody counts by the precision of their mechanism: 1 with one candidate, less with more. In units of 2**-32 and
    of `ClassTally.unit`. For epsilon >= 1e-6 some 10**9 people fit in 64 bits; more are refused.

    Parameters
    ----------
    people, weight
        (half,): how many people there are, and the sum of their weights (in units of 2**-32 alone).
    marks
        (half, cell, class): sum of what marks count. With `base` / classes on top it is unbiased for the weight of the
        people of this cell and class.
    squares
        (half, cell, class): sum over marks of their squares, as far as these are noise of a difference of classes.
    base
        (half, cell): what takes off the marks that are not true, all classes together.
    """

    people: Ints
    weight: Ints
    marks: Ints
    squares: Ints
    base: Ints

    def __add__(self, other: ClassTotals) -> ClassTotals:
        return ClassTotals(*(checked_sum(getattr(self, f.name), getattr(other, f.name)) for f in fields(self)))


@dataclass(frozen=True, eq=False)
class ClassTally:
    """Adds up the reports to an ask for (cell, class); people fall in two halves by a hash of their position."""

    ask: AskClass
    study: Study

    @cached_property
    def partition(self) -> Partition:
        """The cells."""
        return read_partition(self.ask.partition, self.study.bounds)

    def response(self, n_candidates: int) -> ClassResponse:
        """How a person with this many candidate cells answers."""
        message = self.ask.mechanisms[str(n_candidates)]
        return read_class_response(message, self.ask.epsilon, n_candidates, len(self.study.classes))

    @cached_property
    def _alone(self) -> ClassResponse:
        """How a person with one candidate would answer: the measure of all others."""
        return ClassResponse(self.ask.epsilon, 1, len(self.study.classes), "generalised")

    @property
    def unit(self) -> float:
        """People, per mark of a person with one candidate."""
        return self._alone.per_mark

    def _weight(self, response: ClassResponse) -> float:
        return self._alone.total_noise / response.total_noise

    def weigh(self, n_candidates: Ints) -> Floats:
        """Return what people count who could be in so many cells: the precision of their reports."""
        sizes, group = np.unique(n_candidates, return_inverse=True)
        return np.array([self._weight(self.response(int(size))) for size in sizes])[group]

    def __call__(self, batch: Batch) -> ClassTotals:
        """Return the totals of a batch."""
        (marks,), half = batch.answers, (hashed(batch.people.astype(np.uint64)) & np.uint64(1)).astype(np.int64)
        candidates = self.partition.candidates(batch.enrolled.public, batch.enrolled.mask)
        sizes, group = np.unique(candidates.size, return_inverse=True)
        responses = [self.response(int(size)) for size in sizes]
        weight = np.array([self._weight(response) for response in responses])

        def fixed(values: list[float], power: int = 1) -> Ints:
            return np.asarray(np.rint(np.array(values) * weight**power * _FIXED_POINT).astype(np.int64))

        own, sender = half[marks.person], group[marks.person]
        shape = (FOLDS, self.partition.n_cells, len(self.study.classes))
        place = own * (shape[1] * shape[2]) + marks.value
        mark = fixed([response.per_mark / self.unit for response in responses])
        square = fixed([response.per_square / self.unit**2 for response in responses], 2)
        base = fixed([response.per_person / self.unit for response in responses])[group]
        everyone = fixed([1.0] * len(responses))[group]
        return ClassTotals(
            people=np.bincount(half, minlength=FOLDS),
            weight=sums_by_group(half, everyone, FOLDS),
            marks=sums_by_group(place, mark[sender], int(np.prod(shape))).reshape(shape),
            squares=sums_by_group(place, square[sender], int(np.prod(shape))).reshape(shape),
            base=np.stack([candidates.tally(base * (half == k)) for k in range(FOLDS)]),
        )


@dataclass(frozen=True, eq=False)
class ClassSums:
    """What totals say, in people: unbiased, weighted, and their noise.

    Parameters
    ----------
    weight
        Sum of everybody's weight.
    counts
        (cell, class): unbiased weight of the people there.
    noise
        (cell, class): noise and sampling variance of a cell's sum of 1{class} - 1 / classes.
    squares
        (cell, class): noise and sampling variance of the count. It is no smaller than what false marks are expected to
        leave, which is the same for all classes of a cell: where marks are few, noise would pass for small.
    """

    weight: float
    counts: Floats
    noise: Floats
    squares: Floats

    @classmethod
    def of(cls, totals: ClassTotals, unit: float, halves: tuple[int, ...] = (0, 1)) -> ClassSums:
        """Read the totals of some halves of the people."""
        chosen = list(halves)

        def added(of: Ints) -> Floats:
            return np.asarray(of[chosen].astype(np.float64).sum(axis=0) / _FIXED_POINT)

        marks, squares, base = added(totals.marks), added(totals.squares), added(totals.base)
        n_classes, per_mark = marks.shape[1], float(squares.sum()) / max(float(marks.sum()), 1e-300)
        own = (1 - 1 / n_classes) ** 2 - 1 / n_classes**2
        noise = unit**2 * (own * squares + squares.sum(axis=1, keepdims=True) / n_classes**2)
        counts = unit * (marks + base[:, None] / n_classes)
        least = -per_mark * base[:, None] / n_classes
        return cls(float(added(totals.weight)), counts, noise, unit**2 * np.maximum(squares, least))


@dataclass(frozen=True, eq=False)
class LeafTotals:
    """Reports of the class alone, by leaf of a tree; two of them merge with `+`.

    The last row is of people whose leaf is not public, so that all rows together are everybody.
    """

    people: Ints
    marks: Ints

    def __add__(self, other: LeafTotals) -> LeafTotals:
        return LeafTotals(checked_sum(self.people, other.people), checked_sum(self.marks, other.marks))


@dataclass(frozen=True, eq=False)
class LeafTally:
    """Adds up reports of the class alone, by the leaf that people are in."""

    partition: Partition
    n_classes: int

    def __call__(self, batch: Batch) -> LeafTotals:
        """Return the totals of a batch."""
        (marks,), tree = batch.answers, self.partition.tree
        unit = self.partition.bounds.scale(batch.enrolled.public)
        person, leaf = tree.possible_leaves(unit, batch.enrolled.mask)
        own = np.full(len(batch.people), tree.n_leaves, dtype=np.int64)
        sure = np.bincount(person, minlength=len(own))[person] == 1
        own[person[sure]] = leaf[sure]
        place = own[marks.person] * self.n_classes + marks.value
        counts = np.bincount(place, minlength=(tree.n_leaves + 1) * self.n_classes)
        return LeafTotals(np.bincount(own, minlength=tree.n_leaves + 1), counts.reshape(-1, self.n_classes))
