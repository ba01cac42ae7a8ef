"""The paper's splitter: halve the longest edge, choosing among equals by the noisy labels (Algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Bools, Ints
from semildp._kernels.sums import counts_by_group, sums_by_group
from semildp.partition.halving import halve_longest_edges
from semildp.partition.label_scale import LabelScale
from semildp.partition.samples import Samples, Scan, public_rows
from semildp.partition.scores import exact_variance_score, first_best, variance_score
from semildp.partition.tree import Tree
from semildp.sources import Source


def grow_max_edge(scan: Scan, features: Ints, depth: int, source: Source) -> Tree:
    """Choose the longest edge that minimises var(left) + var(right) of the noisy labels, not weighted by counts."""
    chooser = _LabelChooser(scan, features, depth, LabelScale.find(scan, features))
    return halve_longest_edges(features, depth, chooser)


@dataclass(frozen=True, eq=False)
class _Sums:
    """People, sum and sum of squares of labels: (node, feature, side)."""

    n: Ints
    total: Ints
    square: Ints

    def __add__(self, other: _Sums) -> _Sums:
        return _Sums(self.n + other.n, self.total + other.total, self.square + other.square)


class _LabelChooser:
    """Chooses a feature per node, one scan per level; people whose split feature is private drop out."""

    def __init__(self, scan: Scan, features: Ints, depth: int, scale: LabelScale) -> None:
        self.scan, self.features, self.depth, self.scale = scan, features, depth, scale
        self.chosen: list[Ints] = []  # per level, the chosen feature of each node

    def __call__(self, level: int, longest: Bools) -> Ints:
        sums = self.scan(lambda samples: self._tally(samples, level, longest))
        n, total, square = sums.n, sums.total, sums.square
        score, scale = variance_score(n, total, square)
        best = first_best(score, scale, lambda r, c: exact_variance_score(n[r, c], total[r, c], square[r, c]))
        self.chosen.append(np.where(best < 0, np.argmax(longest, axis=1), best))  # no usable side: the lowest index
        return self.chosen[-1]

    def _digit(self, level: int) -> int:
        return self.depth - 1 - level // len(self.features)

    def _codes(self, samples: Samples) -> tuple[Ints, Bools]:
        """Return floor(x * 2**depth), one row per feature, and where x is private.

        The leading binary digits of the code say which half x is in, at every level. x = 1 is in the last.
        """
        unit, hidden = public_rows(samples, self.features)
        return np.minimum(unit * 2.0**self.depth, 2.0**self.depth - 1).astype(np.int64), hidden

    def _tally(self, samples: Samples, level: int, longest: Bools) -> _Sums:
        codes, hidden = samples.once(("halves", self.depth), lambda: self._codes(samples))
        people, node = self._walk(codes, hidden, level)
        labels = self.scale(samples.labels[people])
        shape = (len(longest), len(codes), 2)
        n, total, square = (np.zeros(shape, dtype=np.int64) for _ in range(3))
        for j in range(len(codes)):
            usable = longest[node, j] & ~hidden[j, people]
            side = (2 * node + ((codes[j, people] >> self._digit(level)) & 1))[usable]
            n[:, j] = counts_by_group(side, 2 * len(longest)).reshape(-1, 2)
            total[:, j] = sums_by_group(side, labels[usable], 2 * len(longest)).reshape(-1, 2)
            square[:, j] = sums_by_group(side, (labels * labels)[usable], 2 * len(longest)).reshape(-1, 2)
        return _Sums(n, total, square)

    def _walk(self, codes: Ints, hidden: Bools, level: int) -> tuple[Ints, Ints]:
        """Return who is still in the growing, and the node of this level each of them is at."""
        people = np.flatnonzero(~hidden.all(axis=0))
        node = np.zeros(len(people), dtype=np.int64)
        for above in range(level):
            j = self.chosen[above][node]
            node = 2 * node + ((codes[j, people] >> self._digit(above)) & 1)
            stays = ~hidden[j, people]
            people, node = people[stays], node[stays]
        return people, node
