"""Shrinking level by level, with loops over groups: all people, each feature's bins, their combinations, the tree."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

Rows = list[list[float]]


def effects(
    people: Sequence[float], excess: Sequence[float], noise: Sequence[float], most: float = math.inf
) -> list[float]:
    """Find the variance t of effects by moments, one standard error less; return n t D / (n^2 t + v) of each group."""
    total = math.fsum(n**4 for n in people)
    if total == 0:
        return [0.0 for _ in people]
    groups = list(zip(people, excess, noise, strict=True))
    moment = math.fsum(n**2 * (d**2 - v) for n, d, v in groups)
    error = math.sqrt(2 * math.fsum(n**4 * v**2 for n, _, v in groups))
    t = min((moment - error) / total, most)
    if t <= 0:
        return [0.0 for _ in people]
    return [n * t * d / (n**2 * t + v) if n**2 * t + v > 0 else 0.0 for n, d, v in groups]


def paths(feature: Sequence[int], child: Sequence[int], node: int = 0, above: tuple[int, ...] = ()) -> list[list[int]]:
    """Return, for each leaf from left to right, the nodes from the root down to it."""
    path = (*above, node)
    if feature[node] < 0:
        return [list(path)]
    return paths(feature, child, child[node], path) + paths(feature, child, child[node] + 1, path)


def digits(code: int, bins: Sequence[int]) -> list[int]:
    """Return the bin of each feature, the last one first."""
    found = []
    for each in reversed(bins):
        found.append(code % each)
        code //= each
    return found


def _overall(cells: tuple[Rows, Rows, Rows], prior: float) -> float:
    """Return the mean over all cells, weighed against 0."""
    total, sums, noise = (math.fsum(entry for row in rows for entry in row) for rows in cells)
    return sums / total / (1 + noise / total**2 / prior) if total > 0 and prior > 0 else 0.0


def along(
    tree: tuple[Sequence[int], Sequence[int]],
    bins: Sequence[int],
    cells: tuple[Rows, Rows, Rows],
    prior: float,
    most: float = math.inf,
) -> tuple[Rows, list[list[bool]]]:
    """Return the mean of each cell, and whether its own level added to it; `cells` are people, sums and noise.

    `bins` are those of each private feature; one bin tells nothing and is no level.
    """
    people, sums, noise = cells
    n_codes = math.prod(bins)
    table = [(leaf, code) for leaf in range(len(people)) for code in range(n_codes)]
    means = dict.fromkeys(table, _overall(cells, prior))
    own = dict.fromkeys(table, False)

    def level(keys: dict[tuple[int, int], Hashable]) -> dict[Hashable, float]:
        """Return the effect of every group of cells, beyond what is predicted so far."""
        groups: dict[Hashable, list[float]] = {}
        for (leaf, code), key in keys.items():
            group = groups.setdefault(key, [0.0, 0.0, 0.0])
            group[0] += people[leaf][code]
            group[1] += sums[leaf][code] - people[leaf][code] * means[leaf, code]
            group[2] += noise[leaf][code]
        found = effects(*zip(*groups.values(), strict=True), most)
        return dict(zip(groups, found, strict=True))

    def add(keys: dict[tuple[int, int], Hashable]) -> dict[tuple[int, int], bool]:
        """Add a level's effects; say where they are not 0."""
        found = level(keys)
        for cell, key in keys.items():
            means[cell] += found[key]
        return {cell: found[key] != 0 for cell, key in keys.items()}

    cut = [place for place, each in enumerate(reversed(bins)) if each > 1]
    for place in cut:
        own.update(add({(leaf, code): digits(code, bins)[place] for leaf, code in table}))
    if len(cut) > 1:
        own.update(add({(leaf, code): code for leaf, code in table}))
    path = paths(*tree)
    for depth in range(1, max(len(nodes) for nodes in path)):
        below = [(leaf, code) for leaf, code in table if len(path[leaf]) > depth]
        own.update(add({(leaf, code): path[leaf][depth] for leaf, code in below}))
        if n_codes > 1:
            own.update(add({(leaf, code): (path[leaf][depth], code) for leaf, code in below}))
    rows = [[(leaf, code) for code in range(n_codes)] for leaf in range(len(people))]
    return [[means[cell] for cell in row] for row in rows], [[own[cell] for cell in row] for row in rows]
