"""Subset and paired responses that are wrong on purpose, each in one way."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semildp.mechanisms import PairedResponse, SubsetResponse
from semildp.mechanisms._replacement import subset_threshold
from semildp.sources import Source, below

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class DoubledSubset(SubsetResponse):
    """Draws with twice the epsilon it claims, sets of the size it claims."""

    def draw(self, n: int, source: Source) -> tuple[Bools, Bools, Ints]:
        _, marks, dropped = super().draw(n, source)
        threshold = subset_threshold(2 * self.epsilon, self.n_candidates, self.size)
        return source.words(n) < np.uint64(threshold), marks, dropped


class TruthAlwaysIn(SubsetResponse):
    """The true candidate is always in the set."""

    def draw(self, n: int, source: Source) -> tuple[Bools, Bools, Ints]:
        uniform, marks, dropped = super().draw(n, source)
        return np.zeros_like(uniform), marks, dropped


class LastNeverIn(SubsetResponse):
    """A uniform set never has the last candidate: the first that is free takes its place."""

    def draw(self, n: int, source: Source) -> tuple[Bools, Bools, Ints]:
        uniform, marks, dropped = super().draw(n, source)
        people, free = np.arange(n), marks.argmin(axis=1)
        dropped = np.where(dropped == self.n_candidates - 1, free, dropped)
        marks[people, free] |= marks[:, -1]
        marks[:, -1] = False
        return uniform, marks, dropped


class FirstGivesWay(SubsetResponse):
    """It is always the first of a set that gives way to the truth."""

    def draw(self, n: int, source: Source) -> tuple[Bools, Bools, Ints]:
        uniform, marks, _ = super().draw(n, source)
        return uniform, marks, marks.argmax(axis=1)


class NeighboursTogether(SubsetResponse):
    """Sets are neighbours in a circle: every candidate is in as often as it should be, two together are not."""

    def draw(self, n: int, source: Source) -> tuple[Bools, Bools, Ints]:
        uniform = super().draw(n, source)[0]
        first, place = below(source.words(n), self.n_candidates), below(source.words(n), self.size)
        marks = (np.arange(self.n_candidates) - first[:, None]) % self.n_candidates < self.size
        return uniform, marks, (first + place) % self.n_candidates


class OneDrawSubset(SubsetResponse):
    """All people share one draw."""

    def draw(self, n: int, source: Source) -> tuple[Bools, Bools, Ints]:
        uniform, marks, dropped = super().draw(1, source)
        return np.repeat(uniform, n), np.repeat(marks, n, axis=0), np.repeat(dropped, n)


class BiasedSubset(SubsetResponse):
    """The estimate is not unbiased: the constant is left out."""

    def estimate(self, outputs: Ints) -> Floats:
        return super().estimate(outputs) + self.other / self.contrast


class WrongVarianceSubset(SubsetResponse):
    """States the variance of other candidates for the true one as well."""

    def variance(self, values: Ints) -> Floats:
        return super().variance(np.full(len(values), -1))


class UnequalSubsets(SubsetResponse):
    """States that sets with the first two candidates are likelier."""

    def log_probability(self, outputs: Ints, values: Ints) -> Floats:
        return super().log_probability(outputs, values) + 0.01 * outputs[:, 0] * outputs[:, 1]


class OverstatedSubset(SubsetResponse):
    """Honest about a law that is not private enough: sets with the truth are 0.01 % likelier than they may be."""

    def log_probability(self, outputs: Ints, values: Ints) -> Floats:
        return SubsetResponse(1.0001 * self.epsilon, self.n_candidates).log_probability(outputs, values)


class DoubledPaired(PairedResponse):
    """Draws with twice the epsilon it claims."""

    def draw(self, n: int, source: Source) -> tuple[Ints, Ints]:
        return PairedResponse(2 * self.epsilon, self.n_candidates).draw(n, source)


class LastMarkBare(PairedResponse):
    """The entry of the last candidate goes out without noise."""

    def randomise(self, values: Ints, source: Source) -> Ints:
        rows = super().randomise(values, source)
        rows[:, -1] = np.where(values // 2 == self.n_candidates - 1, 1 + values % 2, 0)
        return rows


class SignNeverFlipped(PairedResponse):
    """A marked true candidate always has the true sign."""

    def draw(self, n: int, source: Source) -> tuple[Ints, Ints]:
        others, own = super().draw(n, source)
        return others, np.where(own == 1, 2, own)


class MarkedTooOften(PairedResponse):
    """The true candidate is marked with probability 0.55."""

    def draw(self, n: int, source: Source) -> tuple[Ints, Ints]:
        others, own = super().draw(n, source)
        return others, np.where((own == 0) & (below(source.words(n), 10) == 0), 2, own)


class MoreMinusElsewhere(PairedResponse):
    """Marks of other candidates are minus a little more often than plus."""

    def draw(self, n: int, source: Source) -> tuple[Ints, Ints]:
        others, own = super().draw(n, source)
        return np.where((others == 2) & (below(source.words(*others.shape), 10) == 0), 1, others), own


class SharedMarks(PairedResponse):
    """All other candidates of a person have the same entry: every one is right, the row is not."""

    def draw(self, n: int, source: Source) -> tuple[Ints, Ints]:
        others, own = super().draw(n, source)
        return np.repeat(others[:, :1], self.n_candidates, axis=1), own


class OneDrawPaired(PairedResponse):
    """All people share one draw."""

    def draw(self, n: int, source: Source) -> tuple[Ints, Ints]:
        others, own = super().draw(1, source)
        return np.repeat(others, n, axis=0), np.repeat(own, n)


class BiasedPaired(PairedResponse):
    """The estimate is not unbiased: marks of others are not subtracted."""

    def estimate(self, outputs: Ints) -> Floats:
        return super().estimate(outputs) + self.other_marked / self.contrast / 2


class WrongVariancePaired(PairedResponse):
    """States the same variance for both signs of the true candidate."""

    def variance(self, values: Ints) -> Floats:
        return (super().variance(values) + super().variance(np.asarray(values) ^ 1)) / 2


class OverstatedPaired(PairedResponse):
    """Honest about a law that is not private enough: a true sign is 0.01 % likelier than it may be."""

    def log_probability(self, outputs: Ints, values: Ints) -> Floats:
        return PairedResponse(1.0001 * self.epsilon, self.n_candidates).log_probability(outputs, values)
