"""Shares of classes in each cell, shrunk level by level by the known noise, with the error that is left."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.curator.estimate import leaf_paths
from semildp.curator.shrinking import CAUTION
from semildp.partition import Tree


@dataclass(frozen=True, eq=False)
class Shares:
    """Shares of classes: (cell, class), and the mean square of their error as far as noise and sampling tell it."""

    values: Floats
    variances: Floats

    def repeated(self, times: int) -> Shares:
        """Return each row so many times: the shares of leaves as those of their cells."""
        return Shares(np.repeat(self.values, times, axis=0), np.repeat(self.variances, times, axis=0))


def shrink_classes(
    tree: Tree, bins: tuple[int, ...], start: Shares, people: Floats, sums: Floats, noise: Floats, most: float
) -> Shares:
    """Add to `start` what sums say beyond it: first private features over all leaves, then down the tree.

    At a level that divides cells in groups, a group of n people whose sums exceed n * (shares so far) by D, with noise
    variance v, adds k D / n, k = n**2 t / (n**2 t + v). The variance t of effects is found over all groups and classes
    by moments, less one standard error; it is `most` at most. A level that noise could explain adds nothing. What was
    the error e of a share becomes (1 - k)**2 e + (1 - k) t.

    Parameters
    ----------
    tree, bins
        Of the partition: its tree, and the bins of each histogram feature.
    start
        Shares so far.
    people, sums, noise
        People per cell; per cell and class the sum of 1{class}, and the variance of its noise.
    most
        Largest variance of effects that is believed.
    """
    values, variances = start.values.copy(), start.variances.copy()
    for group in levels(tree, bins):
        inside = np.flatnonzero(group >= 0)
        at = group[inside]
        n = _by_group(at, people[inside, None])
        excess = _by_group(at, (sums - people[:, None] * values)[inside])
        v = _by_group(at, noise[inside])
        t = min(effect_variance(excess, n, v), most)
        if t <= 0:
            continue
        below = n**2 * t + v
        k = np.where(below > 0, n**2 * t / np.where(below > 0, below, 1.0), 0.0)
        values[inside] += (k * excess / np.where(n > 0, n, 1.0))[at]
        variances[inside] = ((1 - k) ** 2)[at] * variances[inside] + ((1 - k) * t)[at]
    return Shares(values, variances)


def effect_variance(excess: Floats, people: Floats, noise: Floats) -> float:
    """Return the variance t of effects in E[D**2] = n**2 t + v, less its standard error under noise alone; 0 at least.

    Groups are rows, classes columns; a group counts by n**2. The columns add up to 0, so that c of them say as much as
    c - 1 that are independent.
    """
    weight = np.broadcast_to(people**2, excess.shape)
    total = float((weight**2).sum())
    if total <= 0:
        return 0.0
    dependent = excess.shape[1] / (excess.shape[1] - 1)
    error = math.sqrt(2 * dependent * float((weight**2 * noise**2).sum()))
    return max((float((weight * (excess**2 - noise)).sum()) - CAUTION * error) / total, 0.0)


def levels(tree: Tree, bins: tuple[int, ...]) -> Iterator[Ints]:
    """Yield the levels: a group's number for each cell, -1 for cells that are in none.

    All leaves together by each histogram feature alone, then by every combination of bins; at each depth of the tree
    by its nodes, then by the combinations in each node.
    """
    n_codes, cut, place = math.prod(bins), [b for b in bins if b > 1], 1
    codes = np.tile(np.arange(n_codes), tree.n_leaves)
    for each in reversed(cut):
        yield codes // place % each
        place *= each
    if len(cut) > 1:
        yield codes
    path = leaf_paths(tree)
    leaf_depth = (path >= 0).sum(axis=1) - 1
    for depth in range(1, tree.depth + 1):
        at = path[np.arange(len(path)), np.maximum(leaf_depth - depth, 0)]
        node = np.repeat(np.where(leaf_depth >= depth, at, -1), n_codes)
        yield node
        if n_codes > 1:
            yield np.where(node >= 0, node * n_codes + codes, -1)


def _by_group(group: Ints, rows: Floats) -> Floats:
    total = np.zeros((int(group.max(initial=0)) + 1, rows.shape[1]))
    np.add.at(total, group, rows)
    return total


def to_simplices(rows: Floats) -> Floats:
    """Return, for each row, the nearest shares that are not negative and add up to 1."""
    ordered = -np.sort(-rows, axis=1)
    excess = (np.cumsum(ordered, axis=1) - 1) / np.arange(1, rows.shape[1] + 1)
    last = rows.shape[1] - 1 - np.argmax((ordered - excess > 0)[:, ::-1], axis=1)
    return np.asarray(np.maximum(rows - excess[np.arange(len(rows)), last][:, None], 0.0))
