"""How many people are in each leaf of a tree, by what people show."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.backends import chunks
from semildp.partition import Partition, Tree
from semildp.partition.tree import LEAF
from semildp.wire.columns import Enrolled

MOST = 1 << 16  # people of whom shares are learnt: reports are far noisier than a share among so many


def people_in_leaves(partition: Partition, enrolled: Enrolled, weigh: Callable[[Ints], Floats]) -> Floats:
    """Return the weight of the people of each leaf as it is expected from what is public.

    Who hides what a node splits goes both ways, to the right with the share of those who do among people of whom it is
    known: as if hiding did not depend on values, and a hidden feature not on those that are shown. `weigh` returns what
    people count who could be in so many cells.
    """
    right = shares_to_the_right(partition, enrolled[:: 1 + len(enrolled) // MOST])
    found = np.zeros(partition.tree.n_leaves)
    for c in chunks(len(enrolled)):
        people = enrolled[c]
        weight = weigh(partition.count(people.public, people.mask))
        found += _spread(partition, people, right, weight)
    return found


def shares_to_the_right(partition: Partition, people: Enrolled) -> Floats:
    """Return which share goes right at each node, of those who show all splits so far and this one.

    One on either side is added to them, so that few do not tell too much.
    """
    feature, threshold, child = _arrays(partition.tree)
    unit = partition.bounds.scale(people.public)
    node, who = np.zeros(len(people), dtype=np.int64), np.arange(len(people))
    ways = np.ones((len(feature), 2))
    for _ in range(partition.tree.depth):
        going = (feature[node] != LEAF) & ~people.mask[who, feature[node]]
        node, who = node[going], who[going]
        side = (unit[who, feature[node]] >= threshold[node]).astype(np.int64)
        np.add.at(ways, (node, side), 1.0)
        node = child[node] + side
    return np.asarray(ways[:, 1] / ways.sum(axis=1))


def _spread(partition: Partition, people: Enrolled, right: Floats, weight: Floats) -> Floats:
    """Return the weight that comes to each leaf."""
    feature, threshold, child = _arrays(partition.tree)
    unit = partition.bounds.scale(people.public)
    node, who = np.zeros(len(people), dtype=np.int64), np.arange(len(people))
    found = np.zeros(len(feature))
    while len(node):
        found += np.bincount(node, weight, minlength=len(found))
        inner = feature[node] != LEAF
        node, who, weight = node[inner], who[inner], weight[inner]
        hidden, goes = people.mask[who, feature[node]], unit[who, feature[node]] >= threshold[node]
        chance = np.where(hidden, right[node], goes)
        node, who = np.concatenate([child[node], child[node] + 1]), np.tile(who, 2)
        weight = np.concatenate([weight * (1 - chance), weight * chance])
        node, who, weight = node[weight > 0], who[weight > 0], weight[weight > 0]
    leaves = np.argsort(partition.tree.leaf, kind="stable")[-partition.tree.n_leaves :]
    return np.asarray(found[leaves])


def _arrays(tree: Tree) -> tuple[Ints, Floats, Ints]:
    return np.array(tree.feature), np.array(tree.threshold), np.array(tree.child)
