"""The paper's splitter: halve the longest edge, choosing among equals by the noisy labels (Algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from semildp._arrays import Bools, Ints
from semildp._kernels import plain
from semildp._kernels.choosing import compiled
from semildp._kernels.plain import MOST_CUTS, Codes, Nodes
from semildp._kernels.threads import over_slices
from semildp.partition.halving import halve_longest_edges
from semildp.partition.label_scale import LabelScale
from semildp.partition.samples import Samples, Scan
from semildp.partition.scores import exact_variance_score, first_best, variance_score
from semildp.partition.tree import Tree
from semildp.sources import Source

_SLICE = 1 << 16  # people whose sums are made apart
_LONG_HIDDEN = 2**32 - 1


def grow_max_edge(scan: Scan, features: Ints, depth: int, source: Source) -> Tree:
    """Choose the longest edge that minimises var(left) + var(right) of the noisy labels, not weighted by counts.

    Of labels with several columns it is the sum of that over the columns.
    """
    chooser = HalvesChooser(scan, features, depth, LabelScale.find(scan, features))
    return halve_longest_edges(features, depth, chooser)


@dataclass(frozen=True, eq=False)
class HalfSums:
    """People (node, feature, side); sum and sum of squares of labels: (column, node, feature, side)."""

    n: Ints
    total: Ints
    square: Ints

    def __add__(self, other: HalfSums) -> HalfSums:
        return HalfSums(self.n + other.n, self.total + other.total, self.square + other.square)


@dataclass(eq=False)
class _Batch:
    """A batch of people on their way down the tree.

    Parameters
    ----------
    codes
        The leading binary digits of each feature of [0, 1], which say in which half it is at every level; x = 1 is in
        the last. (person, feature); the largest code is a private entry.
    node, level
        The node of this level that each person has come to; -1 for those who have dropped out.
    """

    codes: Codes
    node: Nodes
    level: int = 0


class HalvesChooser:
    """Chooses a feature per node, one scan per level; people whose split feature is private drop out.

    `best` names, per node, the feature to halve, from the sums over both halves of each; -1 if none can be told.
    """

    def __init__(self, scan: Scan, features: Ints, depth: int, scale: LabelScale) -> None:
        self.scan, self.features, self.scale = scan, features, scale
        self.digits = -(-depth // len(features))  # how often a feature can be halved
        self.chosen: list[Ints] = []  # per level, the chosen feature of each node

    def __call__(self, level: int, longest: Bools) -> Ints:
        """Return, per node of a level, the feature to halve: the best, or the lowest among the longest."""
        best = self.best(self.scan(lambda samples: self._tally(samples, level, longest)))
        self.chosen.append(np.where(best < 0, np.argmax(longest, axis=1), best))  # no usable side: the lowest index
        return self.chosen[-1]

    def best(self, sums: HalfSums) -> Ints:
        """Return the feature whose halves have the least variance of labels, var(left) + var(right)."""
        n, total, square = sums.n, sums.total, sums.square
        score, scale = (each.sum(axis=0) for each in variance_score(n, total, square))

        def exact(row: int, feature: int) -> Fraction:
            each = zip(total[:, row, feature], square[:, row, feature], strict=True)
            return sum((exact_variance_score(n[row, feature], t, q) for t, q in each), Fraction(0))

        return first_best(score, scale, exact)

    def _digit(self, level: int) -> int:
        return self.digits - 1 - level // len(self.features)

    def _batch(self, samples: Samples) -> _Batch:
        points = np.arange(1, 2**self.digits) / 2**self.digits
        if len(points) <= MOST_CUTS:
            codes = samples.codes(self.features, [points] * len(self.features))
        else:  # so few features that codes of one byte are too short
            scaled = np.minimum(samples.unit[:, self.features] * 2.0**self.digits, len(points))
            codes = np.where(samples.mask[:, self.features], _LONG_HIDDEN, scaled).astype(np.uint32)
        return _Batch(codes, np.zeros(len(codes), dtype=np.int32))

    def _tally(self, samples: Samples, level: int, longest: Bools) -> HalfSums:
        batch = samples.once(("halves", self.digits, *self.features.tolist()), lambda: self._batch(samples))
        if batch.level > level:
            batch.node, batch.level = np.zeros_like(batch.node), 0  # the batch was used for another tree
        loops = compiled(len(batch.codes)) if batch.codes.dtype == np.uint8 else None
        loops = loops or plain
        columns = samples.columns

        def work(s: slice) -> Ints:
            sums = np.zeros((len(columns), len(longest), 2 * len(self.features), 3), dtype=np.int64)
            codes, node = batch.codes[s], batch.node[s]
            for above in range(batch.level, level):
                loops.descend(codes, node, self.chosen[above], self._digit(above))
            scale = self.scale.centre, self.scale.shift
            for labels, each in zip(columns, sums, strict=True):
                loops.side_sums(codes, node, labels[s], *scale, self._digit(level), each)
            return sums

        few = longest.size <= _SLICE  # else the sums of a slice would be larger than the slice
        parts = over_slices(work, len(batch.codes), _SLICE if few else len(batch.codes)) or [work(slice(0, 0))]
        batch.level = level
        sums = (parts[0] if len(parts) == 1 else np.sum(parts, axis=0)).reshape(len(columns), *longest.shape, 2, 3)
        n, total, square = (np.where(longest[..., None], sums[..., k], 0) for k in range(3))
        return HalfSums(n[0], total, square)
