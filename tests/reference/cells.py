"""Cells of histogram x tree, and the candidate sets V_i by their definition."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tests.reference.trees import Interval, Node


@dataclass
class Cell:
    """A product cell A x B: a bin per histogram feature, an interval per tree feature."""

    bins: dict[int, int]
    box: dict[int, Interval]


def unit(x: float, low: float, high: float) -> float:
    """Return a feature scaled to [0, 1] by its public bounds; what is outside goes to the nearer end."""
    return min(max((x - low) / (high - low), 0.0), 1.0)


def ranked_features(private: Sequence[Sequence[bool]], n_features: int) -> list[int]:
    """Return the features from most to least protected, ties by index."""
    hiding = [sum(bool(row[f]) for row in private) for f in range(n_features)]
    return sorted(range(n_features), key=lambda f: (-hiding[f], f))


def bin_of(x: float | Fraction, bins: int) -> int:
    """Return the bin of a scaled feature."""
    return min(math.floor(x * bins), bins - 1)


def leaves(nodes: Sequence[Node], index: int = 0) -> list[int]:
    """Return the leaves below a node, from left to right."""
    node = nodes[index]
    if node.feature < 0:
        return [index]
    return leaves(nodes, node.child) + leaves(nodes, node.child + 1)


def all_cells(nodes: Sequence[Node], histogram: Sequence[int], bins: int) -> list[Cell]:
    """Return all cells by their number: leaf after leaf, in each the first histogram feature most significant."""
    cells = []
    for leaf in leaves(nodes):
        for code in itertools.product(range(bins), repeat=len(histogram)):
            cells.append(Cell(dict(zip(histogram, code, strict=True)), nodes[leaf].box))  # noqa: PERF401
    return cells


def in_bin(x: float | Fraction, number: int, bins: int) -> bool:
    """Say whether a feature is in a bin."""
    return bin_of(x, bins) == number


def in_interval(x: float | Fraction, interval: Interval) -> bool:
    """Say whether a feature is in [a, b), or [a, b] where that is closed."""
    return interval.a <= x and (x < interval.b or (interval.closed and x == interval.b))


def cell_of(x: Sequence[float], cells: Sequence[Cell], bins: int) -> int:
    """Return the one cell that holds x."""
    public = [False] * len(x)
    (found,) = candidates(x, public, cells, bins)
    return found


def candidates(x: Sequence[float], private: Sequence[bool], cells: Sequence[Cell], bins: int) -> list[int]:
    """Return V_i: the cells that hold some x-bar which agrees with x wherever x is public."""
    return [j for j, cell in enumerate(cells) if agrees(x, private, cell, bins)]


def agrees(x: Sequence[float], private: Sequence[bool], cell: Cell, bins: int) -> bool:
    """Say whether some x-bar in the cell agrees with x; if any does, the one with private entries mid-cell does."""
    for f, number in cell.bins.items():
        x_bar = Fraction(2 * number + 1, 2 * bins) if private[f] else x[f]
        if not in_bin(x_bar, number, bins):
            return False
    for f, interval in cell.box.items():
        x_bar = (interval.a + interval.b) / 2 if private[f] else x[f]
        if not in_interval(x_bar, interval):
            return False
    return True
