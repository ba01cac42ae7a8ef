"""A partition in the terms of the compiled loops: raw cuts for scaled thresholds, rows in slices over threads."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from semildp._arrays import Bools, Floats, Ints, Words
from semildp._kernels.choosing import ENOUGH, compiled
from semildp._kernels.threads import over_slices
from semildp.domains import FeatureBounds
from semildp.partition.tree import LEAF, Tree, leaf_ends

DEEPEST = 62  # levels of a tree that the loops can walk
_MOST_BOXES = 1 << 14  # beyond, a slice's own sums would be larger than the slice
_CAPACITY = 2.0**62


@dataclass(frozen=True, eq=False)
class PartitionLoops:
    """What the compiled loops do for one partition. Results are those of NumPy, to the last bit.

    Parameters
    ----------
    tree, grid
        Arrays as `_kernels.compiled.trees` describes them.
    ends
        The features that the tree splits, and the lower and upper ends of each leaf on these: (leaf, feature).
    depth, n_leaves, bins
        Depth of the tree, its leaves, and bins of each axis of the grid.
    """

    tree: tuple[Words, Floats, Words, Words]
    grid: tuple[Words, Ints, Floats]
    ends: tuple[Words, Floats, Floats]
    depth: int
    n_leaves: int
    bins: tuple[int, ...]

    def cells(self, rows: Floats) -> Ints:
        """Return the cell of each row."""
        out = np.empty(len(rows), dtype=np.int64)
        over_slices(lambda s: self.loops.cells(rows[s], *self.tree, self.depth, *self.grid, out[s]), len(rows))
        return out

    def sizes(self, rows: Floats, hidden: Bools) -> Ints:
        """Return how many cells each row could be in."""
        out = np.empty(len(rows), dtype=np.int64)
        over_slices(lambda s: self.loops.sizes(rows[s], hidden[s], *self.tree, *self.grid, out[s]), len(rows))
        return out

    def truths(self, rows: Floats, hidden: Bools) -> tuple[Ints, Ints]:
        """Return how many cells each row could be in, and the place of its own among them."""
        size, place = np.empty(len(rows), dtype=np.int64), np.empty(len(rows), dtype=np.int64)

        def work(s: slice) -> None:
            self.loops.truths(rows[s], hidden[s], *self.tree, self.depth, *self.grid, size[s], place[s])

        over_slices(work, len(rows))
        return size, place

    def pick(self, rows: Floats, hidden: Bools, place: Ints) -> Ints:
        """Return the cell at a place among those each row could be in."""
        out = np.empty(len(rows), dtype=np.int64)

        def work(s: slice) -> None:
            self.loops.picked(rows[s], hidden[s], place[s], *self.tree, *self.grid, out[s])

        over_slices(work, len(rows))
        return out

    def possible(self, rows: Floats, hidden: Bools, person: Ints, cell: Ints) -> Bools:
        """Return whether each cell is one that the row beside it, by its number, could be in."""
        out = np.empty(len(cell), dtype=np.bool_)

        def work(s: slice) -> None:
            self.loops.possible(rows, hidden, person[s], cell[s], *self.ends, *self.grid, out[s])

        over_slices(work, len(cell))
        return out

    def tallies(self, rows: Floats, hidden: Bools, labels: Ints, count: Ints, value: Ints) -> tuple[Ints, Ints] | None:
        """Return (marked, could) as `_kernels.compiled.tallies` describes them, by cell; None where NumPy must do it.

        That is where there is nobody, cells are too many to pay, a mark is no cell, or a sum could pass 2**62.
        """
        n_cells = math.prod(self.bins) * self.n_leaves
        extended = tuple(t + 1 for t in self.bins)
        most = float(np.abs(labels.astype(np.float64)).max(initial=1.0)) * n_cells * (len(value) + len(rows))
        if math.prod(extended) * self.n_leaves > _MOST_BOXES or most >= _CAPACITY:
            return None
        if not len(rows) or value.min(initial=0) < 0 or value.max(initial=0) >= n_cells:
            return None
        ends = np.cumsum(count) if count.strides[0] else None  # the same number of marks each: no sum is needed

        def work(s: slice) -> tuple[Ints, Ints]:
            marked = np.zeros((6, n_cells), dtype=np.int64)
            could = np.zeros((3, self.n_leaves * math.prod(extended)), dtype=np.int64)
            at = s.start * int(count[0]) if ends is None else int(ends[s.start] - count[s.start])
            self.loops.tallies(
                rows[s], hidden[s], *self.tree, *self.grid, labels[s], count[s], at, value, marked, could
            )
            return marked, could

        parts = over_slices(work, len(rows), 1 << 15)
        marked = np.sum([part[0] for part in parts], axis=0)
        could = np.sum([part[1] for part in parts], axis=0).reshape(3, self.n_leaves, *extended)
        for axis, bins in enumerate(self.bins, start=2):  # a hidden bin could be any
            could = np.take(could, range(bins), axis=axis) + np.take(could, [bins], axis=axis)
        return marked, could.reshape(3, n_cells)

    @property
    def loops(self) -> Any:
        """The compiled loops; not kept, as a partition may travel to another process."""
        return compiled(ENOUGH)


def partition_loops(bounds: FeatureBounds, axes: tuple[int, ...], bins: tuple[int, ...], tree: Tree) -> PartitionLoops:
    """Write a partition as arrays: of a tree, its thresholds as raw cuts; of a histogram, the raw ends of its bins."""
    feature = np.maximum(np.array(tree.feature, dtype=np.int64), 0)
    cut = np.full(len(feature), np.nan)
    for each in sorted(set(tree.feature) - {LEAF}):
        here = np.flatnonzero(np.array(tree.feature) == each)
        cut[here] = bounds.unscale(each, np.array(tree.threshold)[here])
    child = np.where(np.array(tree.feature) == LEAF, np.arange(len(feature)), np.array(tree.child, dtype=np.int64))
    cuts = [bounds.unscale(f, np.arange(1.0, t), float(t)) for f, t in zip(axes, bins, strict=True)]
    first = np.cumsum([0, *(len(each) for each in cuts)])
    grid = _numbers(np.array(axes, dtype=np.int64)), first.astype(np.int64), np.concatenate([np.zeros(0), *cuts])
    leaf = np.maximum(tree.leaf, 0)
    walk = _numbers(feature), cut, _numbers(child), _numbers(leaf)
    used = sorted(set(tree.feature) - {LEAF})
    low, high = (each[:, used].copy() for each in leaf_ends(tree, bounds.n_features, cut.tolist()))
    return PartitionLoops(walk, grid, (_numbers(np.array(used)), low, high), tree.depth, tree.n_leaves, bins)


def _numbers(index: Ints) -> Words:
    return index.astype(np.uint64)
