"""The masses of cells, node after node and bin after bin: public shares of splits, noisy shares of bins, shrunk."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tests.reference.cells import leaves
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


def kept(size: float, noise: float, numbers: int) -> tuple[float, float]:
    """Return what a level is multiplied by, and the share of its noise that is left."""
    e = math.sqrt(2 / max(numbers, 1))
    factor = max(0.0, 1.0 - noise * (1.0 + e) / size) if size > 0 else 0.0
    return factor, min(1.0, factor + 2.0 * e)


@dataclass
class Found:
    """Numbers per node, and per cell in the end."""

    volume: list[float]
    raw: list[float]
    mass: list[float]
    share: list[float]
    share_variance: list[float]
    bins: list[list[float]]
    bin_variance: list[float]
    root: float = 0.0


def estimate(
    nodes: Sequence[Node],
    n_codes: int,
    code_volume: float,
    totals: Totals,
    noise: Noise,
    inverse: Callable[[Sums], float],
) -> tuple[Found, list[float], list[float]]:
    """Return what is found of nodes, and the mass and the variance of every cell."""
    n = len(nodes)
    found = Found([1.0] * n, [1.0] * n, [1.0] * n, [0.0] * n, [0.0] * n, [[1 / n_codes] * n_codes] * n, [0.0] * n)
    levels = [[0]] if nodes[0].feature >= 0 else []
    while levels and (below := [c for v in levels[-1] for c in (nodes[v].child, nodes[v].child + 1)]):
        for c in below:
            found.volume[c] = found.volume[parent_of(nodes, c)] / 2
        if nodes[below[0]].feature < 0:
            break
        levels.append(below)
    for level in levels:
        shrink_shares(nodes, level, found)
    if n_codes > 1:
        shrink_bins(nodes, levels, found, n_codes, totals, noise, inverse)
    people = len(nodes[0].people)
    masses, variances = [], []
    for leaf in leaves(nodes):
        relative, within = doubts(nodes, leaf, found)
        for share in nearest(found.bins[leaf]):
            masses.append((people * (found.mass[leaf] * share) + found.volume[leaf] * code_volume) / (people + 1))
            variances.append(found.mass[leaf] * found.mass[leaf] * (within + share * share * relative))
    whole = math.fsum(masses)
    return found, [mass / whole for mass in masses], variances


def parent_of(nodes: Sequence[Node], child: int) -> int:
    """Return the node that was split into this one and its sibling."""
    return next(v for v, node in enumerate(nodes) if node.feature >= 0 and child in (node.child, node.child + 1))


def shrink_shares(nodes: Sequence[Node], level: Sequence[int], found: Found) -> None:
    """Shrink the shares of left halves towards 1/2."""
    seen, noises, sizes, spreads, counted = {}, {}, [], [], 0
    for v in level:
        left, right = (len(nodes[nodes[v].child + side].people) for side in (0, 1))
        seen[v] = left / (left + right) if left + right else 0.5
        likely = (left + 0.5) / (left + right + 1)
        noises[v] = likely * (1 - likely) / max(left + right, 1)
        if left + right:
            counted += 1
            weight = found.mass[v] * found.mass[v] / (found.volume[v] * 0.5 * 0.5)
            sizes.append(weight * ((seen[v] - 0.5) * (seen[v] - 0.5)))
            spreads.append(weight * noises[v])
    factor, rest = kept(math.fsum(sizes), math.fsum(spreads), counted)
    for v in level:
        shown = len(nodes[nodes[v].child].people) + len(nodes[nodes[v].child + 1].people)
        found.share[v] = 0.5 + (factor * (seen[v] - 0.5) if shown else 0.0)
        found.share_variance[v] = rest * noises[v] if shown else 0.0
        for child, r, s in ((0, seen[v], found.share[v]), (1, 1 - seen[v], 1 - found.share[v])):
            found.raw[nodes[v].child + child] = found.raw[v] * r
            found.mass[nodes[v].child + child] = found.mass[v] * s


def shrink_bins(
    nodes: Sequence[Node],
    levels: Sequence[Sequence[int]],
    found: Found,
    n_codes: int,
    totals: Totals,
    noise: Noise,
    inverse: Callable[[Sums], float],
) -> None:
    """Shrink the shares of bins: of everybody towards even ones, then those of children towards their parent's."""
    counts, noises = [[0.0]] * len(nodes), [[0.0]] * len(nodes)
    for number, leaf in enumerate(leaves(nodes)):
        here = range(number * n_codes, (number + 1) * n_codes)
        counts[leaf] = [inverse(totals.cells[j]) for j in here]
        noises[leaf] = [noise.other * totals.noise[j] + noise.sized * totals.sized_noise[j] for j in here]
    for v in range(len(nodes) - 1, -1, -1):
        if nodes[v].feature >= 0:
            for rows in (counts, noises):
                rows[v] = [a + b for a, b in zip(rows[nodes[v].child], rows[nodes[v].child + 1], strict=True)]
    seen = []
    for v in range(len(nodes)):
        people = totals.weight * (found.raw[v] if found.raw[v] > 0 else 1.0)
        shares = [count / people for count in counts[v]]
        excess = (added(shares) - 1) / n_codes
        seen.append([share - excess for share in shares])
        noises[v] = [each / (people * people) for each in noises[v]]
    sampling = totals.squared / totals.weight**2
    own = max(noise.own_flat * totals.unsure + noise.own_sized * math.fsum(totals.noise), 0.0) / totals.weight**2

    def doubt(v: int, parent: int) -> list[float]:
        usual = [min(max(share, 0.0), 1.0) for share in found.bins[parent]]
        return [w + u * ((1 - u) * sampling + own) / found.raw[v] for w, u in zip(noises[v], usual, strict=True)]

    gap = [a - b for a, b in zip(seen[0], found.bins[0], strict=True)]
    around = math.fsum(doubt(0, 0))
    factor, rest = kept(math.fsum(g * g for g in gap), around, n_codes - 1)
    found.root = rest * (around / n_codes)
    found.bins[0] = [share + factor * g for share, g in zip(found.bins[0], gap, strict=True)]
    for level in levels:
        shrink_children(nodes, level, found, seen, doubt)


def shrink_children(
    nodes: Sequence[Node],
    level: Sequence[int],
    found: Found,
    seen: Sequence[Sequence[float]],
    doubt: Callable[[int, int], list[float]],
) -> None:
    """Shrink the differences between the children of one level's nodes."""
    sizes: list[float] = []
    spreads: list[float] = []
    gaps, around = {}, {}
    for v in level:
        left, right = nodes[v].child, nodes[v].child + 1
        found.bins[left], found.bins[right] = found.bins[v], found.bins[v]
        if found.raw[left] > 0 and found.raw[right] > 0:
            gaps[v] = [a - b for a, b in zip(seen[left], seen[right], strict=True)]
            around[v] = [a + b for a, b in zip(doubt(left, v), doubt(right, v), strict=True)]
            half = found.mass[v] * found.share[v] * (1 - found.share[v])
            weight = half * half * (1 / found.volume[left] + 1 / found.volume[right])
            sizes += [weight * (gap * gap) for gap in gaps[v]]
            spreads += [weight * each for each in around[v]]
    codes = len(found.bins[0])
    factor, rest = kept(math.fsum(sizes), math.fsum(spreads), len(gaps) * (codes - 1))
    for v, gap in gaps.items():
        share, here = found.share[v], found.bins[v]
        up, down = factor * (1 - share), factor * share
        found.bins[nodes[v].child] = [a + up * g for a, g in zip(here, gap, strict=True)]
        found.bins[nodes[v].child + 1] = [a - down * g for a, g in zip(here, gap, strict=True)]
        found.bin_variance[v] = rest * (added(around[v]) / codes)


def added(numbers: Sequence[float]) -> float:
    """Add from left to right; `sum` corrects for rounding."""
    total = 0.0
    for number in numbers:
        total = total + number
    return total


def nearest(shares: Sequence[float]) -> list[float]:
    """Return max(share - theta, 0) with the theta for which they add up to 1."""
    top = max(shares)
    shares = [share - top for share in shares]
    total, theta = 0.0, 0.0
    for count, share in enumerate(sorted(shares, reverse=True), start=1):
        total = total + share
        if share - (total - 1.0) / count > 0:
            theta = (total - 1.0) / count
    return [max(share - theta, 0.0) for share in shares]


def doubts(nodes: Sequence[Node], leaf: int, found: Found) -> tuple[float, float]:
    """Return the relative variance of a leaf's mass, and the variance of a bin's share in it: from the root down."""
    path = [leaf]
    while path[-1]:
        path.append(parent_of(nodes, path[-1]))
    relative, within = 0.0, found.root
    for child, v in reversed(list(zip(path, path[1:], strict=False))):
        r = found.share[v]
        own, other = (r, 1 - r) if child == nodes[v].child else (1 - r, r)
        relative += found.share_variance[v] / own**2 if own > 0 else 0.0
        within += other**2 * found.bin_variance[v]
    return relative, within
