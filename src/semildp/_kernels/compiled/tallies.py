"""Sums over marks and over the boxes that rows could be in."""

from __future__ import annotations

import numpy as np
from numba import int64, void

from semildp._kernels.compiled.kinds import FLAGS, INTS, OUT_2D, ROWS, loop
from semildp._kernels.compiled.trees import DEEPEST, GRID, TREE, bin_at, open_leaves


@loop(void(ROWS, FLAGS, *TREE, *GRID, INTS, INTS, int64, INTS, OUT_2D, OUT_2D))
def tallies(rows, hidden, feature, cut, child, leaf, axes, first, cuts, weights, count, at, value, marked, could):
    """Add up, by box, marks and boxes that could be meant; tree and grid as in `trees`.

    Row i has count[i] marks, which follow those of the row before in `value`, from place `at`. It counts as 1 and as
    its weight. `marked` has six rows: both sums for rows with one box; both for the others; both times the number of
    boxes. `could` has three rows, for rows with several boxes: both sums, and the number of boxes. Its columns are
    leaf * (bins + 1 of all axes multiplied) + digits, where the last digit of an axis says that its bin is hidden.
    """
    stack, found = np.empty(DEEPEST, dtype=np.uint64), np.empty(len(leaf), dtype=np.int64)
    for i in range(len(rows)):
        n = open_leaves(rows, hidden, i, feature, cut, child, leaf, stack, found)
        size, code, span = n, 0, 1
        for j in range(len(axes)):
            bins = first[j + 1] - first[j] + 1
            if bins > 1 and hidden[i, axes[j]]:
                size *= bins
                code = code * (bins + 1) + bins
            elif bins > 1:
                code = code * (bins + 1) + bin_at(rows[i, axes[j]], first[j], first[j + 1], cuts)
            else:
                code = code * 2
            span *= bins + 1
        weight = weights[i]
        if size > 1:
            for k in range(n):
                box = np.uint64(found[k] * span + code)  # unsigned: no check for an index from the end
                could[0, box] += 1
                could[1, box] += weight
                could[2, box] += size
        for _ in range(count[i]):
            cell = np.uint64(value[at])
            at += 1
            if size == 1:
                marked[0, cell] += 1
                marked[1, cell] += weight
            else:
                marked[2, cell] += 1
                marked[3, cell] += weight
                marked[4, cell] += size
                marked[5, cell] += weight * size
