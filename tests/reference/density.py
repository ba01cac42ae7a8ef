"""The masses of cells, node after node and bin after bin: public shares of splits, noisy shares of bins, shrunk."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.reference.cells import leaves
from tests.reference.density_totals import Noise, Totals
from tests.reference.totals import Sums
from tests.reference.trees import Node


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
    counts, noises = by_node(nodes, n_codes, totals, noise, inverse)
    for level in levels:
        shrink_shares(nodes, level, found, counts, noises, totals.squared / totals.weight)
    if n_codes > 1:
        shrink_bins(nodes, levels, found, totals, noise, counts, noises)
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


def told(
    left: Sequence[float], right: Sequence[float], noise: tuple[Sequence[float], Sequence[float]], unit: float
) -> tuple[float, float]:
    """Return the left share among reports, and its variance."""
    a, b, va, vb = (added(each) for each in (left, right, *noise))
    if a + b <= 0:
        return 0.5, math.inf
    r, likely = (min(max(each, 0.0), 1.0) for each in (a / (a + b), (a + 0.5 * unit) / (a + b + unit)))
    spread = ((1 - r) * (1 - r) * va + r * r * vb) / ((a + b) * (a + b))
    return r, spread + likely * (1 - likely) * unit / (a + b)


def shrink_shares(
    nodes: Sequence[Node],
    level: Sequence[int],
    found: Found,
    counts: Sequence[Sequence[float]],
    noises: Sequence[Sequence[float]],
    unit: float,
) -> None:
    """Shrink the shares of left halves, among those who show it or among reports, towards 1/2."""
    seen, doubt, sizes, spreads = dict.fromkeys(level, 0.5), {}, [], []
    for v in level:
        c = nodes[v].child
        left, right = (len(nodes[c + side].people) for side in (0, 1))
        likely = (left + 0.5) / (left + right + 1)
        ways = [told(counts[c], counts[c + 1], (noises[c], noises[c + 1]), unit)]
        if left + right:
            ways = [(left / (left + right), likely * (1 - likely) / (left + right)), *ways]
        share, noise = min(ways, key=lambda way: way[1])  # of equals the first
        if noise < math.inf:
            seen[v], doubt[v] = share, noise
            weight = found.mass[v] * found.mass[v] / (found.volume[v] * 0.5 * 0.5)
            sizes.append(weight * ((seen[v] - 0.5) * (seen[v] - 0.5)))
            spreads.append(weight * noise)
    factor, rest = kept(math.fsum(sizes), math.fsum(spreads), len(doubt))
    for v in level:
        found.share[v] = 0.5 + (factor * (seen[v] - 0.5) if v in doubt else 0.0)
        found.share_variance[v] = rest * doubt[v] if v in doubt else 0.0
        for child, r, s in ((0, seen[v], found.share[v]), (1, 1 - seen[v], 1 - found.share[v])):
            found.raw[nodes[v].child + child] = found.raw[v] * r
            found.mass[nodes[v].child + child] = found.mass[v] * s


def by_node(
    nodes: Sequence[Node], n_codes: int, totals: Totals, noise: Noise, inverse: Callable[[Sums], float]
) -> tuple[list[list[float]], list[list[float]]]:
    """Return unbiased counts per node and bin, and the variance of their noise."""
    counts, noises = [[0.0]] * len(nodes), [[0.0]] * len(nodes)
    for number, leaf in enumerate(leaves(nodes)):
        here = range(number * n_codes, (number + 1) * n_codes)
        counts[leaf] = [inverse(totals.cells[j]) for j in here]
        noises[leaf] = [noise.other * totals.noise[j] + noise.sized * totals.sized_noise[j] for j in here]
    for v in range(len(nodes) - 1, -1, -1):
        if nodes[v].feature >= 0:
            for rows in (counts, noises):
                rows[v] = [a + b for a, b in zip(rows[nodes[v].child], rows[nodes[v].child + 1], strict=True)]
    return counts, noises


def shrink_bins(
    nodes: Sequence[Node],
    levels: Sequence[Sequence[int]],
    found: Found,
    totals: Totals,
    noise: Noise,
    counts: Sequence[Sequence[float]],
    noises: list[list[float]],
) -> None:
    """Shrink the shares of bins: of everybody towards even ones, then those of children towards their parent's."""
    seen, n_codes = [], len(counts[0])
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
    for child, v in reversed(list(itertools.pairwise(path))):
        r = found.share[v]
        own, other = (r, 1 - r) if child == nodes[v].child else (1 - r, r)
        relative += found.share_variance[v] / own**2 if own > 0 else 0.0
        within += other**2 * found.bin_variance[v]
    return relative, within
