"""Shrinking by known noise: sums over few people, or over many with much noise, count for little."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp.curator.estimate import leaf_paths
from semildp.partition import Tree

CAUTION = 1.0  # standard errors taken off


def shrink(excess: Floats, people: Floats, noise: Floats, most: float = math.inf) -> Floats:
    """Return effects n t D / (n^2 t + v): D the excess of a group's sum, n its people, v the noise variance of D.

    The variance of effects, t, is found by moments over the groups, E[D^2] = n^2 t + v, large groups counting most. Its
    own standard error under noise alone is taken off, so that a level that noise could explain adds nothing. It is
    `most` at most: among very many groups some that noise makes large would pass for a large variance of all.
    """
    return shrink_by(effect_variance(excess, people, noise), excess, people, noise, most)


def shrink_by(variance: float, excess: Floats, people: Floats, noise: Floats, most: float = math.inf) -> Floats:
    """Return the same with a variance of effects that is known otherwise."""
    if variance <= 0:
        return np.zeros_like(excess)
    variance = min(variance, most)
    below = people**2 * variance + noise
    return np.asarray(people * variance * excess / np.where(below > 0, below, 1.0))


def effect_variance(excess: Floats, people: Floats, noise: Floats, caution: float = CAUTION) -> float:
    """Return the variance of effects that is left when so many of its standard errors are taken off, 0 at least."""
    weight = people.ravel() ** 2
    excess_, noise_ = excess.ravel(), noise.ravel()
    total = float(weight @ weight)
    if total <= 0:
        return 0.0
    found = float(weight @ (excess_**2 - noise_)) - caution * math.sqrt(2 * float(weight**2 @ noise_**2))
    return max(found / total, 0.0)


def to_simplex(counts: Floats, total: float) -> Floats:
    """Return the nearest counts that are not negative and add up to `total` (Wang et al. 2020, NDSS)."""
    if total <= 0:
        return np.zeros_like(counts)
    ordered = np.sort(counts)[::-1]
    excess = (np.cumsum(ordered) - total) / np.arange(1, len(counts) + 1)
    last = np.flatnonzero(ordered - excess > 0)[-1]
    return np.asarray(np.maximum(counts - excess[last], 0.0))


def shrink_along(
    tree: Tree, bins: tuple[int, ...], people: Floats, sums: Floats, noise: Floats, prior: float, most: float = math.inf
) -> tuple[Floats, Bools]:
    """Return the mean of each cell, shrunk level by level: all people, each private feature, then down the tree.

    Each level adds an effect beyond what the levels before predict: at the root the bins of each histogram feature,
    then their combinations; at every depth of the tree first its nodes, then each node's combinations of bins. A level
    that noise alone could explain adds nothing, so depth and bins are chosen by the data.

    Parameters
    ----------
    tree
        The tree on public features.
    bins
        Bins of each histogram feature.
    people, sums, noise
        One row per leaf, one column per combination of bins: people, sum of their numbers, noise variance of the sum.
    prior
        Variance of the overall mean around 0 before these sums were seen.
    most
        Largest variance of effects that is believed.

    Returns
    -------
    means, own
        In the same shape: the means, and whether the cell's own level added an effect.
    """
    n_codes = people.shape[1]
    total = float(people.sum())
    value = np.full(n_codes, float(sums.sum()) / total * _trust(float(noise.sum()) / total**2, prior) if total else 0.0)
    n, s, v = (part.sum(axis=0) for part in (people, sums, noise))
    added = np.zeros(n_codes)
    for group in _groupings(bins):
        n_by, s_by, v_by = (_add_rows(group, part[:, None])[:, 0] for part in (n, s - n * value, v))
        added = shrink(s_by, n_by, v_by, most)[group]
        value = value + added
    means, own = np.tile(value, (len(people), 1)), np.tile(added != 0, (len(people), 1))
    for node, there in _by_depth(tree):
        n, s, v = (_add_rows(node, part * there) for part in (people, sums - people * means, noise))
        whole = shrink(s.sum(axis=1), n.sum(axis=1), v.sum(axis=1), most)[:, None]
        added = shrink(s - n * whole, n, v, most) if n_codes > 1 else whole
        own = np.where(there, (added != 0)[node], own)
        means = means + (whole + added if n_codes > 1 else whole)[node] * there
    return means, own


def _trust(noise: float, prior: float) -> float:
    """Return prior / (prior + noise), the weight of a mean with this noise variance against 0; 0 if the prior is 0."""
    if prior == 0:
        return 0.0
    return 1 / (1 + noise / prior)


def _groupings(bins: tuple[int, ...]) -> Iterator[Ints]:
    """Yield a label per combination of bins: by each feature alone, then every combination for itself."""
    codes, place, cut = np.arange(math.prod(bins)), 1, [b for b in bins if b > 1]
    for each in reversed(cut):
        yield codes // place % each
        place *= each
    if len(cut) > 1:
        yield codes


def _by_depth(tree: Tree) -> Iterator[tuple[Ints, Bools]]:
    """Yield, from depth 1 down, a number per leaf for the node it is below, and (as a column) whether there is one."""
    path = leaf_paths(tree)
    leaf_depth = (path >= 0).sum(axis=1) - 1
    for depth in range(1, tree.depth + 1):
        node = path[np.arange(len(path)), np.maximum(leaf_depth - depth, 0)]
        yield np.unique(node, return_inverse=True)[1], (leaf_depth >= depth)[:, None]


def _add_rows(group: Ints, rows: Floats) -> Floats:
    """Add up rows by group."""
    total = np.zeros((int(group.max()) + 1, rows.shape[1]))
    np.add.at(total, group, rows)
    return total
