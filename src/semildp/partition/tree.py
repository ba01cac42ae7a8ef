"""The tree of a partition: plain arrays, walked for all people at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp._checks import finite_number, whole_number
from semildp.errors import InputError, refusal

LEAF = -1


@dataclass(frozen=True)
class Tree:
    """A binary tree on features scaled to [0, 1]; x goes left iff x[feature] < threshold.

    Parameters
    ----------
    feature
        Split feature of each node, -1 for a leaf. Node 0 is the root.
    threshold
        Split point of each node, 0 for a leaf.
    child
        Left child of each node, 0 for a leaf; the right child is the node after it.

    Attributes
    ----------
    leaf
        Number of each leaf from left to right, -1 for an inner node.
    """

    feature: tuple[int, ...] = (LEAF,)
    threshold: tuple[float, ...] = (0.0,)
    child: tuple[int, ...] = (0,)
    leaf: Ints = field(init=False, repr=False, compare=False)
    depth: int = field(init=False, compare=False)
    _feature: Ints = field(init=False, repr=False, compare=False)
    _threshold: Floats = field(init=False, repr=False, compare=False)
    _child: Ints = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        n = len(self.feature)
        if not n or len(self.threshold) != n or len(self.child) != n:
            raise InputError("A tree needs three arrays of the same length, one entry per node.")
        leaf, depth = _number_leaves(self.feature, self.child)
        feature = np.array(self.feature, dtype=np.int64)
        is_leaf = feature == LEAF
        # Walking is branch-free: a leaf is its own left child and no x reaches its threshold.
        walk = {
            "leaf": leaf,
            "_feature": np.where(is_leaf, 0, feature),
            "_threshold": np.where(is_leaf, np.inf, np.array(self.threshold)),
            "_child": np.where(is_leaf, np.arange(n), np.array(self.child, dtype=np.int64)),
        }
        for name, array in walk.items():
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "depth", depth)

    @property
    def n_leaves(self) -> int:
        """How many leaves the tree has."""
        return (len(self.feature) + 1) // 2

    def apply(self, unit: Floats) -> Ints:
        """Return the leaf each row of scaled features falls in."""
        n, d = unit.shape
        flat, row_start = unit.reshape(-1), np.arange(n) * d
        node = np.zeros(n, dtype=np.int64)
        for _ in range(self.depth):
            value = flat[row_start + self._feature[node]]
            node = self._child[node] + (value >= self._threshold[node])
        return self.leaf[node]

    def possible_leaves(self, unit: Floats, mask: Bools) -> tuple[Ints, Ints]:
        """Return the leaves each person could be in, judged from public features, as (person, leaf) pairs.

        Both branches are taken wherever the split feature is private. Pairs come by person, then by leaf.
        """
        person, node = np.arange(len(unit)), np.zeros(len(unit), dtype=np.int64)
        used = sorted({f for f in self.feature if f != LEAF})
        if not mask[:, used].any():
            return person, self.apply(unit)
        for _ in range(self.depth):
            feature, child = self._feature[node], self._child[node]
            hidden = mask[person, feature] & (child != node)
            right = ~hidden & (unit[person, feature] >= self._threshold[node])
            copies = 1 + hidden.astype(np.int64)
            node = np.repeat(child + right, copies)
            node[np.cumsum(copies)[hidden] - 1] += 1  # of two copies, the second takes the right branch
            person = np.repeat(person, copies)
        return person, self.leaf[node]

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, for JSON."""
        return {"feature": list(self.feature), "threshold": list(self.threshold), "child": list(self.child)}

    @classmethod
    def from_dict(cls, data: object, n_features: int) -> Tree:
        """Rebuild a tree from `to_dict`, refusing what is not a tree on `n_features` features."""
        if not isinstance(data, dict) or set(data) != {"feature", "threshold", "child"}:
            raise refusal("tree", "an object with feature, threshold and child", repr(data)[:60])
        features = [whole_number("feature", f, LEAF, n_features - 1) for f in check_list("feature", data["feature"])]
        children = [whole_number("child", c, 0, len(features)) for c in check_list("child", data["child"])]
        thresholds = [finite_number("threshold", t) for t in check_list("threshold", data["threshold"])]
        tree = cls(tuple(features), tuple(thresholds), tuple(children))
        _check_boxes(tree, n_features)
        return tree


def check_list(name: str, value: object) -> list[Any]:
    """Return `value` if it is a list, as JSON's arrays are, or refuse it."""
    if not isinstance(value, list):
        raise refusal(name, "a list", repr(value)[:60])
    return value


def _check_boxes(tree: Tree, n_features: int) -> None:
    """Refuse a split outside its node's box, which would make an empty cell, and a leaf that carries a split."""
    stack = [(0, ((0.0, 1.0),) * n_features)]
    while stack:
        node, box = stack.pop()
        feature, threshold = tree.feature[node], tree.threshold[node]
        if feature == LEAF:
            if threshold or tree.child[node]:
                raise InputError(f"Leaf {node} must have threshold 0 and child 0.")
            continue
        low, high = box[feature]
        if not low < threshold <= high:
            raise InputError(f"Node {node} must split inside its box, in ({low}, {high}]. Got {threshold}.")
        left, right = list(box), list(box)
        left[feature], right[feature] = (low, threshold), (threshold, high)
        stack += [(tree.child[node], tuple(left)), (tree.child[node] + 1, tuple(right))]


def _number_leaves(feature: tuple[int, ...], child: tuple[int, ...]) -> tuple[Ints, int]:
    """Number the leaves from left to right and find the depth; refuse arrays that are not one tree."""
    leaf = np.full(len(feature), -1, dtype=np.int64)
    stack, seen, n_leaves, deepest = [(0, 0)], 0, 0, 0
    while stack and seen <= len(feature):  # more than that and some node has two parents
        node, depth = stack.pop()
        seen, deepest = seen + 1, max(deepest, depth)
        if feature[node] == LEAF:
            leaf[node], n_leaves = n_leaves, n_leaves + 1
        elif node < child[node] < len(feature) - 1:
            stack += [(child[node] + 1, depth + 1), (child[node], depth + 1)]
        else:
            raise InputError(f"Node {node} must have its children after it. Got child {child[node]}.")
    if seen != len(feature):
        raise InputError(f"Every one of {len(feature)} nodes must be reached once from the root.")
    return leaf, deepest


def leaf_ends(tree: Tree, n_features: int, cuts: Sequence[float] | None = None) -> tuple[Floats, Floats]:
    """Return the ends of every leaf, (leaf, feature): x is in it if low <= x < high; infinite where nothing is split.

    `cuts` are thresholds on another scale, one per node.
    """
    shape = len(tree.feature), n_features
    low, high = np.full(shape, -np.inf), np.full(shape, np.inf)
    for node, (split, cut, child) in enumerate(zip(tree.feature, cuts or tree.threshold, tree.child, strict=True)):
        if split != LEAF:  # children come after their parent
            low[child : child + 2], high[child : child + 2] = low[node], high[node]
            high[child, split] = min(high[child, split], cut)
            low[child + 1, split] = max(low[child + 1, split], cut)
    order = np.argsort(tree.leaf, kind="stable")[-tree.n_leaves :]
    return low[order], high[order]


class TreeBuilder:
    """Collects nodes level by level, then freezes them into a `Tree`."""

    def __init__(self) -> None:
        self.feature: list[int] = [LEAF]
        self.threshold: list[float] = [0.0]
        self.child: list[int] = [0]

    def split(self, node: int, feature: int, threshold: float) -> int:
        """Make `node` an inner node and return its new left child; the right child is the next."""
        left = len(self.feature)
        self.feature[node], self.threshold[node], self.child[node] = feature, threshold, left
        for _ in range(2):
            self.feature.append(LEAF)
            self.threshold.append(0.0)
            self.child.append(0)
        return left

    def build(self) -> Tree:
        """Freeze the nodes collected so far."""
        return Tree(tuple(self.feature), tuple(self.threshold), tuple(self.child))
