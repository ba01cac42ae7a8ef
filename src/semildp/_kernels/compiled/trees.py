"""Boxes of a tree times a grid: in which one a row lies, and in which ones it could lie if some entries are hidden.

A tree is four arrays: `feature`, `cut` (x goes right iff x >= cut), `child` (the left one; the right one is the next
node; a leaf is its own child, and its cut is NaN) and `leaf` (the number of a leaf from left to right). A grid is
`axes` (features), `first` and `cuts` (those of axis j are cuts[first[j]:first[j + 1]], rising), so that axis j has one
bin more than cuts. A box is leaf * (bins of all axes multiplied) + (bins read as digits, the last axis fastest).
"""

from __future__ import annotations

import numpy as np
from numba import int64, void

from semildp._kernels.compiled.kinds import (
    CUTS,
    ENDS,
    FLAGS,
    INTS,
    NUMBERS,
    OFFSETS,
    OUT,
    OUT_FLAGS,
    ROWS,
    loop,
    part,
)

TREE = NUMBERS, CUTS, NUMBERS, NUMBERS
GRID = NUMBERS, OFFSETS, CUTS
DEEPEST = 64  # levels of a tree that the stack has room for


@part
def bin_at(x, first, last, cuts):
    """Return how many cuts are at most x, without a branch on x."""
    at, left = first, last - first
    while left > 0:
        half = (left + 1) // 2
        at += half * (x >= cuts[at + half - 1])
        left -= half
    return at - first


@part
def leaf_of(rows, i, feature, cut, child, leaf, depth):
    """Return the leaf of one row."""
    node = np.uint64(0)
    for _ in range(depth):
        node = child[node] + np.uint64(rows[i, feature[node]] >= cut[node])
    return np.int64(leaf[node])


@part
def open_leaves(rows, hidden, i, feature, cut, child, leaf, stack, found):
    """Write the leaves a row could be in, from left to right, and return how many."""
    top, n = 1, 0
    stack[0] = 0
    while top > 0:
        top -= 1
        node = stack[top]
        while child[node] != node:
            f, left = feature[node], child[node]
            if hidden[i, f]:
                stack[top] = left + np.uint64(1)
                top += 1
                node = left
            else:
                node = left + np.uint64(rows[i, f] >= cut[node])
        found[n] = leaf[node]
        n += 1
    return n


@loop(void(ROWS, *TREE, int64, *GRID, OUT))
def cells(rows, feature, cut, child, leaf, depth, axes, first, cuts, out):
    """Write the box of each row."""
    for i in range(len(rows)):
        box = leaf_of(rows, i, feature, cut, child, leaf, depth)
        for j in range(len(axes)):
            bins = first[j + 1] - first[j] + 1
            box = box * bins + bin_at(rows[i, axes[j]], first[j], first[j + 1], cuts)
        out[i] = box


@loop(void(ROWS, FLAGS, *TREE, *GRID, OUT))
def sizes(rows, hidden, feature, cut, child, leaf, axes, first, cuts, out):
    """Write how many boxes each row could be in."""
    stack, found = np.empty(DEEPEST, dtype=np.uint64), np.empty(len(leaf), dtype=np.int64)
    for i in range(len(rows)):
        size = open_leaves(rows, hidden, i, feature, cut, child, leaf, stack, found)
        for j in range(len(axes)):
            if hidden[i, axes[j]]:
                size *= first[j + 1] - first[j] + 1
        out[i] = size


@loop(void(ROWS, FLAGS, *TREE, int64, *GRID, OUT, OUT))
def truths(rows, hidden, feature, cut, child, leaf, depth, axes, first, cuts, size, place):
    """Write how many boxes each row could be in, and the place of its own among them."""
    stack, found = np.empty(DEEPEST, dtype=np.uint64), np.empty(len(leaf), dtype=np.int64)
    for i in range(len(rows)):
        n, at = open_leaves(rows, hidden, i, feature, cut, child, leaf, stack, found), 0
        if n > 1:
            own = leaf_of(rows, i, feature, cut, child, leaf, depth)
            for k in range(n):
                at += found[k] < own
        for j in range(len(axes)):
            if hidden[i, axes[j]]:
                bins = first[j + 1] - first[j] + 1
                n *= bins
                at = at * bins + bin_at(rows[i, axes[j]], first[j], first[j + 1], cuts)
        size[i], place[i] = n, at


@loop(void(ROWS, FLAGS, INTS, *TREE, *GRID, OUT))
def picked(rows, hidden, place, feature, cut, child, leaf, axes, first, cuts, out):
    """Write the box at a place among those that each row could be in."""
    stack, found = np.empty(DEEPEST, dtype=np.uint64), np.empty(len(leaf), dtype=np.int64)
    for i in range(len(rows)):
        open_leaves(rows, hidden, i, feature, cut, child, leaf, stack, found)
        rest, code, weight = place[i], 0, 1
        for j in range(len(axes) - 1, -1, -1):  # the last hidden axis is the lowest digit
            bins = first[j + 1] - first[j] + 1
            if hidden[i, axes[j]]:
                code += weight * (rest % bins)
                rest //= bins
            else:
                code += weight * bin_at(rows[i, axes[j]], first[j], first[j + 1], cuts)
            weight *= bins
        out[i] = found[rest] * weight + code


@loop(void(ROWS, FLAGS, INTS, INTS, NUMBERS, ENDS, ENDS, *GRID, OUT_FLAGS))
def possible(rows, hidden, row, box, used, low, high, axes, first, cuts, out):
    """Write whether each box is one that its row could be in; low and high are ends of leaves on the used features."""
    boxes = 1
    for j in range(len(axes)):
        boxes *= first[j + 1] - first[j] + 1
    for k in range(len(box)):
        i, leaf = row[k], box[k] // boxes
        code, fits = box[k] - leaf * boxes, True
        for j in range(len(used)):
            x = rows[i, used[j]]
            fits &= hidden[i, used[j]] | ((low[leaf, j] <= x) & (x < high[leaf, j]))
        for j in range(len(axes) - 1, -1, -1):
            bins = first[j + 1] - first[j] + 1
            if bins > 1 and not hidden[i, axes[j]]:
                fits &= bin_at(rows[i, axes[j]], first[j], first[j + 1], cuts) == code % bins
            code //= bins
        out[k] = fits
