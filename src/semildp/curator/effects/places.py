"""Places on axes, and the cuts between them, from counts of narrow buckets: exact, in batches, without sorting."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semildp._arrays import Bools, Floats, Ints
from semildp.models.places import place_of

BUCKETS = 1 << 12  # of [0, 1]: about one in sixty holds a cut; a power of two, so that x * BUCKETS is exact
_FEW = 1 << 12  # numbers for which buckets are not worth it


@dataclass(frozen=True, eq=False)
class Places:
    """An axis scaled to [0, 1] and cut into places.

    Parameters
    ----------
    cuts
        Where it is cut.
    sure
        Per bucket, the place of the numbers in it if no cut is inside the bucket, and -1 if one is.
    """

    cuts: tuple[float, ...]
    sure: Ints

    @classmethod
    def of(cls, cuts: tuple[float, ...]) -> Places:
        """Find the buckets that hold no cut."""
        ends = np.asarray(cuts)
        found = place_of(np.arange(BUCKETS + 1) / BUCKETS, cuts)
        bucket = bucket_of(ends)
        found[bucket[ends > bucket / BUCKETS]] = -1
        return cls(cuts, found.astype(np.int64))

    def __call__(self, unit: Floats) -> Ints:
        """Return the place of each number of [0, 1]: how many cuts are at most as large."""
        if len(unit) < _FEW:
            return place_of(unit, self.cuts)
        found: Ints = self.sure[bucket_of(unit)]
        unsure = np.flatnonzero(found < 0)
        found[unsure] = place_of(unit[unsure], self.cuts)
        return found


@dataclass(frozen=True, eq=False)
class BucketCounts:
    """How many numbers are in each bucket (column) of each axis (row); counts of several batches add up."""

    counts: Ints

    @classmethod
    def of(cls, unit: Floats) -> BucketCounts:
        """Count a batch of rows scaled to [0, 1]; missing entries are not counted."""
        return cls(np.array([np.bincount(bucket_of(_there(x)), minlength=BUCKETS + 1) for x in unit.T], dtype=np.int64))

    def __add__(self, other: BucketCounts) -> BucketCounts:
        return BucketCounts(self.counts + other.counts)

    def order_statistics(self, parts: Iterable[Floats], shares: tuple[float, ...]) -> list[tuple[Floats, float]]:
        """Return for each axis the numbers that these shares of all are below, and the least of all; none of none.

        They are those of `np.quantile(numbers, shares, method="higher")`. `parts` are the same batches again: only
        numbers in the few buckets that matter are kept and sorted.
        """
        n, upto = self.counts.sum(axis=1), np.cumsum(self.counts, axis=1)
        ranks = np.concatenate(
            [np.zeros((len(n), 1)), np.ceil(np.multiply.outer(np.maximum(n - 1, 0), shares))], axis=1
        )
        rank = ranks.astype(np.int64)
        bucket = [np.searchsorted(each, at, side="right") for each, at in zip(upto, rank, strict=True)]
        wanted: Bools = np.zeros(self.counts.shape, dtype=np.bool_)
        for axis, at in enumerate(bucket):
            wanted[axis, at[at <= BUCKETS]] = True
        kept: list[list[Floats]] = [[] for _ in bucket]
        for unit in parts:
            for axis, x in enumerate(unit.T):
                there = _there(x)
                kept[axis].append(there[wanted[axis][bucket_of(there)]])
        below = np.cumsum(np.where(wanted, 0, self.counts), axis=1)  # numbers that were not kept, so far
        found = list[tuple[Floats, float]]()
        for axis, at in enumerate(bucket):
            if not n[axis]:
                found.append((np.zeros(0), 0.0))
                continue
            each = np.sort(np.concatenate(kept[axis]))[rank[axis] - below[axis][at]]
            found.append((each[1:], float(each[0])))
        return found


def bucket_of(unit: Floats) -> NDArray[np.uint16]:
    """Return the bucket of each number of [0, 1]; that of 1 is one beyond the last."""
    return (unit * BUCKETS).astype(np.uint16)


def _there(column: Floats) -> Floats:
    gone = np.isnan(column)
    return column[~gone] if gone.any() else column
