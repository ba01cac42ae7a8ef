"""Shallower trees from a deep one."""

from __future__ import annotations

from semildp.partition import Tree


def pruned(tree: Tree, depth: int) -> Tree:
    """Return the top `depth` levels. Splitters grow level by level, so this is the tree they grow to that depth."""
    feature, threshold, child = list[int](), list[float](), list[int]()
    nodes = [(0, 0)]  # (node, level) in the order of the copy; it grows while it is read
    for node, level in nodes:
        inner = tree.feature[node] >= 0 and level < depth
        feature.append(tree.feature[node] if inner else -1)
        threshold.append(tree.threshold[node] if inner else 0.0)
        child.append(len(nodes) if inner else 0)
        if inner:
            nodes += [(tree.child[node], level + 1), (tree.child[node] + 1, level + 1)]
    return Tree(tuple(feature), tuple(threshold), tuple(child))
