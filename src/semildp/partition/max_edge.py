"""The paper's splitter: halve the longest edge, choosing among equals by the noisy labels (Algorithm 1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semildp._kernels.sums import counts_by_group, sums_by_group
from semildp.partition.halving import halve_longest_edges
from semildp.partition.samples import Samples
from semildp.partition.scores import exact_variance_score, first_best, scoring_labels, variance_score
from semildp.partition.tree import Tree
from semildp.sources import Source

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def grow_max_edge(samples: Samples, features: Ints, depth: int, source: Source) -> Tree:
    """Choose the longest edge that minimises var(left) + var(right) of the noisy labels, not weighted by counts."""
    return halve_longest_edges(features, depth, _LabelChooser(samples, features, depth))


class _LabelChooser:
    """Follows people down the tree; those whose split feature is private drop out of the growing."""

    def __init__(self, samples: Samples, features: Ints, depth: int) -> None:
        self.hidden = np.ascontiguousarray(samples.mask[:, features].T)  # one row per tree feature
        self.labels = scoring_labels(samples.labels, np.asarray(~self.hidden.all(axis=0)))
        self.squares = self.labels * self.labels
        self.depth = depth
        # floor(x * 2**depth): its leading binary digits say which half x is in, at every level. x = 1 is in the last.
        unit = np.where(self.hidden, 0.0, samples.unit[:, features].T)
        self.codes = np.minimum(unit * 2.0**depth, 2.0**depth - 1).astype(np.int64)
        self.node = np.zeros(len(self.labels), dtype=np.int64)

    def __call__(self, level: int, longest: Bools) -> Ints:
        shape = (len(longest), len(self.codes), 2)
        n, total, square = (np.zeros(shape, dtype=np.int64) for _ in range(3))
        digit = self.depth - 1 - level // len(self.codes)
        for j, codes in enumerate(self.codes):
            side = 2 * self.node + ((codes >> digit) & 1)
            usable = self._usable(j, longest)
            labels, squares = self.labels, self.squares
            if usable is not None:
                side, labels, squares = side[usable], labels[usable], squares[usable]
            n[:, j] = counts_by_group(side, 2 * len(longest)).reshape(-1, 2)
            total[:, j] = sums_by_group(side, labels, 2 * len(longest)).reshape(-1, 2)
            square[:, j] = sums_by_group(side, squares, 2 * len(longest)).reshape(-1, 2)
        score, scale = variance_score(n, total, square)
        best = first_best(score, scale, lambda r, c: exact_variance_score(n[r, c], total[r, c], square[r, c]))
        chosen = np.where(best < 0, np.argmax(longest, axis=1), best)  # no usable side: the lowest index
        self._descend(chosen, digit)
        return chosen

    def _usable(self, j: int, longest: Bools) -> Bools | None:
        """People at a node where feature j is a candidate, who make it public; None means everybody."""
        usable: Bools | None = None if longest[:, j].all() else np.asarray(longest[self.node, j])
        if not self.hidden[j].any():
            return usable
        public: Bools = ~self.hidden[j]
        return public if usable is None else usable & public

    def _descend(self, chosen: Ints, digit: int) -> None:
        j, people = chosen[self.node], np.arange(len(self.node))
        half = (self.codes[j, people] >> digit) & 1
        self.node = 2 * self.node + half
        stays = ~self.hidden[j, people]
        if not stays.all():
            self.labels, self.squares, self.node = self.labels[stays], self.squares[stays], self.node[stays]
            self.hidden, self.codes = self.hidden[:, stays], self.codes[:, stays]
