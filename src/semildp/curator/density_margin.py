"""The share of people in every node of a density's tree: from public features, or from reports where these say more."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.curator.density_totals import DensityTotals
from semildp.partition import Tree
from semildp.partition.tree import LEAF


@dataclass(frozen=True, eq=False)
class Margin:
    """The public part: per node its volume, raw and shrunk mass; per split its raw and shrunk share, and variance."""

    volume: Floats
    raw: Floats
    mass: Floats
    share: Floats
    variance: Floats


def leaf_nodes(tree: Tree) -> Ints:
    """Return the node of each leaf, by the leaf's number."""
    nodes = np.flatnonzero(tree.leaf >= 0)
    return np.asarray(nodes[np.argsort(tree.leaf[nodes])])


def split_levels(tree: Tree) -> list[Ints]:
    """Return the nodes that are split, level by level."""
    found, level = [], np.array([0])
    feature, child = np.asarray(tree.feature), np.asarray(tree.child)
    while len(level := level[feature[level] != LEAF]):
        found.append(level)
        level = (child[level][:, None] + np.arange(2)).ravel()
    return found


def kept(size: float, noise: float, numbers: int) -> tuple[float, float]:
    """Return the factor 1 - (1 + e) noise / size, cut at 0, and which share of the noise variance is left then.

    A level that is noise alone has a size of noise * (1 +- e), where e = sqrt(2 / numbers): one standard deviation is
    taken off. As twice that may be hidden in a level, the variance left is (factor + 2 e) * noise, at most the noise.
    """
    scatter = math.sqrt(2 / max(numbers, 1))
    factor = max(0.0, 1.0 - noise * (1.0 + scatter) / size) if size > 0 else 0.0
    return factor, min(1.0, factor + 2.0 * scatter)


def estimate_margin(
    tree: Tree, levels: list[Ints], volume: Floats, totals: DensityTotals, reported: tuple[Floats, Floats]
) -> Margin:
    """Shrink the share of people in the left child towards its share of the volume, one factor per level.

    The share is that of people who show the feature, or the one that everybody's reports say, where it has less
    variance. `reported` are unbiased counts of each node, and the variance of their noise.
    """
    child, n, reached = np.asarray(tree.child), len(tree.feature), totals.reached
    raw, mass, share, variance = np.ones(n), np.ones(n), np.zeros(n), np.zeros(n)
    for nodes in levels:
        left, right = child[nodes], child[nodes] + 1
        people = reached[left] + reached[right]
        even = np.divide(volume[left], volume[nodes], out=np.zeros(len(nodes)), where=volume[nodes] > 0)
        seen = np.divide(reached[left], people, out=even.copy(), where=people > 0)
        likely = (reached[left] + 0.5) / (people + 1)
        noise = np.where(people > 0, likely * (1 - likely) / np.maximum(people, 1), np.inf)
        told, doubt = _told(reported, left, right, totals.squared_weight / totals.weight)
        seen, noise = np.where(doubt < noise, told, seen), np.minimum(doubt, noise)
        open_ = (even > 0) & (even < 1) & np.isfinite(noise)
        noise = np.where(open_, noise, 0.0)
        spread = np.where(open_, volume[nodes] * even * (1 - even), 1.0)
        weight = np.where(open_, mass[nodes] ** 2 / spread, 0.0)
        size = math.fsum((weight * (seen - even) ** 2).tolist())
        factor, rest = kept(size, math.fsum((weight * noise).tolist()), int(open_.sum()))
        share[nodes] = even + np.where(open_, factor * (seen - even), 0.0)
        variance[nodes] = np.where(open_, rest * noise, 0.0)
        seen = np.where(open_, seen, even)
        raw[left], raw[right] = raw[nodes] * seen, raw[nodes] * (1 - seen)
        mass[left], mass[right] = mass[nodes] * share[nodes], mass[nodes] * (1 - share[nodes])
    return Margin(volume, raw, mass, share, variance)


def _told(reported: tuple[Floats, Floats], left: Ints, right: Ints, unit: float) -> tuple[Floats, Floats]:
    """Return the share of the left child among reports, and its variance: of the noise, and of who is there.

    `unit` is the sum of squared weights over that of weights. The variance is infinite where there is no count.
    """
    counts, noise = reported
    people = counts[left] + counts[right]
    known = people > 0
    whole = np.where(known, people, 1.0)
    share = np.clip(counts[left] / whole, 0.0, 1.0)
    spread = ((1 - share) * (1 - share) * noise[left] + share * share * noise[right]) / (whole * whole)
    likely = (counts[left] + 0.5 * unit) / (whole + unit)
    likely = np.clip(likely, 0.0, 1.0)
    return share, np.where(known, spread + likely * (1 - likely) * unit / whole, np.inf)
