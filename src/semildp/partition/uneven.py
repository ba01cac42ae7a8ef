"""A tree for densities: halve the longest edge, choosing among equals the one whose halves hold people least evenly.

It looks at public features alone: no label, no report.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp.partition.halving import halve_longest_edges
from semildp.partition.label_scale import LabelScale
from semildp.partition.max_edge import HalfSums, HalvesChooser
from semildp.partition.samples import Scan
from semildp.partition.scores import first_best
from semildp.partition.tree import Tree
from semildp.partition.volumes import values_between


def grow_uneven(scan: Scan, features: tuple[int, ...], n_values: Sequence[int | None], depth: int) -> Tree:
    """Grow 2**depth leaves on `features`; one scan per level, over samples whose labels are 0.

    Of U people who show a feature, the share r is in the left half, whose share of the volume is v. The feature with
    the largest (r - v)**2 / (v (1 - v)) - 1 / U is halved: an unbiased estimate of how far from even the halves are.
    """
    if not features:
        return Tree()
    chosen = np.array(features, dtype=np.int64)
    return halve_longest_edges(chosen, depth, _UnevenChooser(scan, chosen, n_values, depth))


class _UnevenChooser(HalvesChooser):
    """Keeps, besides, where each node lies on each feature: halves of a category may differ in values, or be empty."""

    def __init__(self, scan: Scan, features: Ints, n_values: Sequence[int | None], depth: int) -> None:
        super().__init__(scan, features, depth, LabelScale(0, 0))
        self.n_values = n_values
        self.corner = np.zeros((1, len(features)), dtype=np.int64)  # lower corner of each node, in units of its edge
        self.halvings = np.zeros((1, len(features)), dtype=np.int64)

    def __call__(self, level: int, longest: Bools) -> Ints:
        """Choose, and go down to the nodes of the next level."""
        self.longest = longest
        best = super().__call__(level, longest)
        parent = np.repeat(np.arange(len(best)), 2)
        here = np.arange(len(parent)), best[parent]
        self.corner, self.halvings = self.corner[parent], self.halvings[parent]
        self.corner[here] = 2 * self.corner[here] + np.arange(len(parent)) % 2
        self.halvings[here] += 1
        return best

    def best(self, sums: HalfSums) -> Ints:
        """Return the feature whose halves hold people least evenly; one with an empty half only if there is none."""
        volume = self._volumes()
        people = sums.n.sum(axis=-1)
        usable = self.longest & (people > 0) & (volume > 0).all(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            gap = (sums.n[..., 0] * volume[..., 1] - sums.n[..., 1] * volume[..., 0]) / people
            uneven = gap * gap / volume.prod(axis=-1) - 1 / people
        score: Floats = np.where(usable, -uneven, np.inf)
        return first_best(
            score, np.where(usable, 1 + np.abs(uneven), 0.0), lambda r, c: exact_score(sums, volume, r, c)
        )

    def _volumes(self) -> Ints:
        """Return the volumes of both halves, (node, feature, half): 1 for a number, else how many values are in it."""
        volume = np.ones((*self.corner.shape, 2), dtype=np.int64)
        for j, feature in enumerate(self.features.tolist()):
            if (many := self.n_values[feature]) is not None:
                edge = 0.5 ** (self.halvings[:, j] + 1)
                for half in (0, 1):
                    low = (2 * self.corner[:, j] + half) * edge
                    volume[:, j, half] = values_between(low, low + edge, many)
        return volume


def exact_score(sums: HalfSums, volume: Ints, node: int, feature: int) -> Fraction:
    """Return minus the unevenness of one split, as a fraction."""
    (left, right), (a, b) = sums.n[node, feature].tolist(), volume[node, feature].tolist()
    people = left + right
    return Fraction(1, people) - Fraction((left * b - right * a) ** 2, people**2 * a * b)
