"""The tree of a density from public features, people's weights, and sums over reports, person after person."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tests.reference.totals import Sums, add_person
from tests.reference.trees import Node, People, Split, longest_edges, middle, sides

UNIT = 1024


def uneven_edge(people: People, node: Node) -> Split:
    """Halve the longest edge with the largest 4 (r - 1/2)**2 - 1 / U; r of U people who show it are on the left."""
    best, best_score = longest_edges(node)[0], None
    for feature in longest_edges(node):
        left, right = sides(people, node, (feature, middle(node, feature)))
        shown = len(left) + len(right)
        if shown:
            score = 4 * (Fraction(len(left), shown) - Fraction(1, 2)) ** 2 - Fraction(1, shown)
            if best_score is None or score > best_score:
                best, best_score = feature, score
    return best, middle(node, best)


def weight_of(private: Sequence[bool], nodes: Sequence[Node], histogram: Sequence[int], bins: int, noise: Noise) -> int:
    """Return the weight of somebody with this mask, from how many cells such people could be in, about."""
    log = 0.0
    for feature, hidden in enumerate(private):
        if hidden:
            log += math.log2(bins) if feature in histogram else splits(nodes, feature)
    size = 2.0**log
    spread = size * (noise.other + size * noise.sized) if size > 1 else 0.0
    return max(round(UNIT / (1 + spread)), 1)


def splits(nodes: Sequence[Node], feature: int, index: int = 0) -> float:
    """Return how often a feature is split on the way from a node to a leaf, on average over both branches."""
    node = nodes[index]
    if node.feature < 0:
        return 0.0
    below = (splits(nodes, feature, node.child) + splits(nodes, feature, node.child + 1)) / 2
    return below + (node.feature == feature)


@dataclass
class Noise:
    """The variance of an indicator where a person is not, other + k * sized, and the excess of it where they are."""

    other: float
    sized: float
    own_flat: float
    own_sized: float


@dataclass
class Totals:
    """Sums over people: weights, squares, and per cell."""

    weight: int
    squared: int
    unsure: int
    cells: list[Sums]
    noise: list[int]
    sized_noise: list[int]


def tally(
    n_cells: int, weights: Sequence[int], candidates: Sequence[Sequence[int]], marked: Sequence[Sequence[int]]
) -> Totals:
    """Go through the people."""
    found = Totals(0, 0, 0, [Sums() for _ in range(n_cells)], [0] * n_cells, [0] * n_cells)
    for weight, possible, sent in zip(weights, candidates, marked, strict=True):
        found.weight += weight
        found.squared += weight * weight
        if len(possible) > 1:
            found.unsure += weight * weight
        for j in possible:
            add_person(found.cells[j], weight, len(possible), j in sent)
            if len(possible) > 1:
                found.noise[j] += weight * weight
                found.sized_noise[j] += weight * weight * len(possible)
    return found
