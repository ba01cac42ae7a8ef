"""How large cells are: shares of the public domain, by length for a number and by values for a category."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.domains import bin_of
from semildp.partition.partition import Partition
from semildp.partition.tree import LEAF, Tree, leaf_ends


def values_between(low: Floats, high: Floats, n_values: int) -> Ints:
    """Return how many of a category's values, which lie at (code + 1/2) / n_values, are in [low, high)."""
    at = (np.arange(n_values) + 0.5) / n_values
    return np.searchsorted(at, high, side="left") - np.searchsorted(at, low, side="left")


def leaf_boxes(tree: Tree, n_features: int) -> tuple[Floats, Floats]:
    """Return the lower and upper ends of every leaf on features scaled to [0, 1]: (leaf, feature)."""
    low, high = leaf_ends(tree, n_features)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def leaf_shares(tree: Tree, n_values: Sequence[int | None]) -> Floats:
    """Return which share of each feature's domain every leaf has: (leaf, feature)."""
    low, high = leaf_boxes(tree, len(n_values))
    shares = high - low
    for j, many in enumerate(n_values):
        if many is not None:
            shares[:, j] = values_between(low[:, j], high[:, j], many) / many
    return shares


def bin_shares(partition: Partition, n_values: Sequence[int | None]) -> tuple[Floats, ...]:
    """Return which share of its domain each bin of each histogram feature has."""
    shares = []
    for feature, bins in zip(partition.histogram_features, partition.bins, strict=True):
        many = n_values[feature]
        if many is None:
            shares.append(np.full(bins, 1 / bins))
        else:
            at = (np.arange(many) + 0.5) / many
            shares.append(np.bincount(bin_of(at, np.array(bins)), minlength=bins) / many)
    return tuple(shares)


def over_codes(per_bin: Sequence[Floats]) -> Floats:
    """Return the products of one number per histogram feature, for every code of the histogram."""
    product = np.ones(1)
    for each in per_bin:
        product = np.multiply.outer(product, each).ravel()
    return product


def node_volumes(tree: Tree, leaves: Floats) -> Floats:
    """Return the volume of every node from those of the leaves: a node has what its two children have together."""
    volume = np.where(tree.leaf >= 0, leaves[tree.leaf], 0.0)
    for node in range(len(tree.feature) - 1, -1, -1):
        if tree.feature[node] != LEAF:
            volume[node] = volume[tree.child[node]] + volume[tree.child[node] + 1]
    return volume
