"""Trees that halve the longest edge of a cell: the common skeleton of `max-edge` and `random`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from semildp._arrays import Bools, Ints
from semildp.partition.samples import Scan
from semildp.partition.tree import Tree, TreeBuilder
from semildp.sources import Source, below


def halve_longest_edges(features: Ints, depth: int, choose: Callable[[int, Bools], Ints]) -> Tree:
    """Grow 2**depth leaves. `choose(level, longest)` names, per node, one of the features whose edge is longest.

    Every split halves a longest edge, so after l splits all edges are 2**-(l // m) or half of that (m features): the
    longest ones are compared as whole numbers of halvings, exactly.
    """
    builder = TreeBuilder()
    nodes = [0]
    corner = np.zeros((1, len(features)), dtype=np.int64)  # lower corner of each node, in units of its edge
    halvings = np.zeros((1, len(features)), dtype=np.int64)
    for level in range(depth):
        chosen = choose(level, halvings == level // len(features))
        lefts = []
        for node, j, low, times in zip(nodes, chosen.tolist(), corner.tolist(), halvings.tolist(), strict=True):
            middle = (2 * low[j] + 1) / 2 ** (times[j] + 1)
            lefts.append(builder.split(node, int(features[j]), middle))
        nodes = [child for left in lefts for child in (left, left + 1)]
        parent = np.repeat(np.arange(len(chosen)), 2)
        corner, halvings = corner[parent], halvings[parent]
        here = np.arange(len(parent)), chosen[parent]
        corner[here] = 2 * corner[here] + np.arange(len(parent)) % 2
        halvings[here] += 1
    return builder.build()


def grow_random(scan: Scan, features: Ints, depth: int, source: Source) -> Tree:
    """Draw the feature among the longest edges; looks at nobody's data (Section 2.4 of the paper)."""

    def draw(level: int, longest: Bools) -> Ints:
        pick = below(source.words(len(longest)), longest.sum(axis=1))
        return np.asarray(np.argmax(np.cumsum(longest, axis=1) == pick[:, None] + 1, axis=1))

    return halve_longest_edges(features, depth, draw)
