"""Per column: its ends, its mean and spread, and whether entries are missing. Batches add up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp.backends import chunks, fold
from semildp.curator.learning.rows import Rows

BATCH = 1 << 14  # rows looked at a time: they stay in the processor's cache


@dataclass(frozen=True, eq=False)
class Extent:
    """What is needed to standardise columns.

    Parameters
    ----------
    count
        How many entries are not missing.
    low, high
        The least and the largest of them; NaN if there is none.
    mean, square
        Their mean, and the sum of squares around it.
    gaps
        Whether any entry is missing.
    """

    count: Ints
    low: Floats
    high: Floats
    mean: Floats
    square: Floats
    gaps: Bools

    @classmethod
    def of(cls, X: Rows) -> Extent:
        """Look at all rows, a batch at a time."""
        return fold(cls._of_batch, (X[rows] for rows in chunks(len(X), BATCH)))

    @classmethod
    def _of_batch(cls, X: Floats) -> Extent:
        low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
        there = ~np.isnan(X)
        if there.all():
            mean = X.mean(axis=0)
            count = np.full(X.shape[1], len(X))
            return cls(count, low, high, mean, ((X - mean) ** 2).sum(axis=0), np.zeros(X.shape[1], dtype=np.bool_))
        count = there.sum(axis=0)
        mean = np.where(there, X, 0.0).sum(axis=0) / np.maximum(count, 1)
        square = np.where(there, (X - mean) ** 2, 0.0).sum(axis=0)
        return cls(count, low, high, mean, square, count < len(X))

    def __add__(self, other: Extent) -> Extent:
        count, away = self.count + other.count, other.mean - self.mean
        part = other.count / np.maximum(count, 1)
        return Extent(
            count,
            np.fmin(self.low, other.low),
            np.fmax(self.high, other.high),
            self.mean + part * away,
            self.square + other.square + self.count * part * away**2,
            self.gaps | other.gaps,
        )

    @property
    def deviation(self) -> Floats:
        """Standard deviation of each column."""
        return np.asarray(np.sqrt(self.square / np.maximum(self.count, 1)))

    def only(self, columns: Ints) -> Extent:
        """Return some of the columns."""
        low, high, mean, square = (each[columns] for each in (self.low, self.high, self.mean, self.square))
        return Extent(self.count[columns], low, high, mean, square, self.gaps[columns])
