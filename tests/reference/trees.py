"""Algorithm 1 of the paper: grow a tree level by level, halving a longest edge of every cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

Split = tuple[int, Fraction]  # feature and threshold


class Interval(NamedTuple):
    """An edge of a cell: [a, b), or [a, b] where b is the end of the domain."""

    a: Fraction
    b: Fraction
    closed: bool


@dataclass
class Node:
    """A cell B of the tree, the people D in it, and how it was split."""

    box: dict[int, Interval]  # an edge per tree feature
    people: list[int]
    feature: int = -1
    threshold: float = 0.0
    child: int = 0


@dataclass
class People:
    """What the curator has: features in [0, 1] (private ones are never looked at), masks, noisy labels."""

    x: Sequence[Sequence[float]]
    private: Sequence[Sequence[bool]]
    labels: Sequence[int]


def grow(
    people: People, features: Sequence[int], depth: int, choose: Callable[[People, Node], Split | None]
) -> list[Node]:
    """Grow a tree; `choose` names the split of a node, or None to leave it a leaf. Nodes come in order of creation."""
    whole = Interval(Fraction(0), Fraction(1), closed=True)
    nodes = [Node(dict.fromkeys(features, whole), list(range(len(people.labels))))]
    level = [0]
    for _ in range(depth if features else 0):
        next_level = []
        for index in level:
            split = choose(people, nodes[index])
            if split is not None:
                nodes[index].child = len(nodes)
                next_level += [len(nodes), len(nodes) + 1]
                nodes += halves(people, nodes[index], split)
        level = next_level
    return nodes


def halves(people: People, node: Node, split: Split) -> list[Node]:
    """Split a node in two; people who keep the split feature private go to neither side."""
    feature, threshold = split
    node.feature, node.threshold = feature, float(threshold)
    a, b, closed = node.box[feature]
    left, right = sides(people, node, split)
    lower, upper = Interval(a, threshold, closed=False), Interval(threshold, b, closed)
    return [Node({**node.box, feature: lower}, left), Node({**node.box, feature: upper}, right)]


def sides(people: People, node: Node, split: Split) -> tuple[list[int], list[int]]:
    """Return the people of a node who make the split feature public, on either side."""
    feature, threshold = split
    left, right = [], []
    for i in node.people:
        if not people.private[i][feature]:
            (left if people.x[i][feature] < threshold else right).append(i)
    return left, right


def sum_of_squares(labels: Sequence[int]) -> Fraction:
    """Return the sum of squared deviations from the mean."""
    return sum(y * y for y in labels) - Fraction(sum(labels) ** 2, len(labels))


def longest_edges(node: Node) -> list[int]:
    """Return the features along which the cell is longest (M in the paper), lowest index first."""
    lengths = {f: edge.b - edge.a for f, edge in node.box.items()}
    return [f for f in sorted(lengths) if lengths[f] == max(lengths.values())]


def middle(node: Node, feature: int) -> Fraction:
    """Return the midpoint of an edge."""
    return (node.box[feature].a + node.box[feature].b) / 2


def max_edge(people: People, node: Node) -> Split:
    """Equation (5): minimise var(left) + var(right); a side of fewer than two people has infinite variance."""
    best, best_score = None, None
    for feature in longest_edges(node):
        split = feature, middle(node, feature)
        left, right = sides(people, node, split)
        if len(left) < 2 or len(right) < 2:
            continue  # +inf
        score = Fraction(0)
        for side in (left, right):
            score += sum_of_squares([people.labels[i] for i in side]) / (len(side) - 1)
        if best_score is None or score < best_score:
            best, best_score = split, score
    if best is None:  # all are +inf
        feature = longest_edges(node)[0]
        return feature, middle(node, feature)
    return best


def random_edge(words: Iterator[int]) -> Callable[[People, Node], Split]:
    """Draw the feature among the longest edges, one word of 64 bits per node; nobody's data is looked at."""

    def choose(people: People, node: Node) -> Split:
        edges = longest_edges(node)
        feature = edges[int(next(words)) * len(edges) // 2**64]
        return feature, middle(node, feature)

    return choose
