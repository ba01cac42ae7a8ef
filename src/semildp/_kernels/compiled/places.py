"""Where numbers lie among cuts, as codes of one byte; and sums by node of a tree that halves by their digits."""

from __future__ import annotations

import numpy as np
from numba import int64, void

from semildp._kernels.compiled.kinds import CODES, FLAGS, FLOATS, INTS, NODES, OUT, OUT_3D, ROWS, loop
from semildp._kernels.plain import HIDDEN


@loop(void(ROWS, FLAGS, INTS, INTS, FLOATS, CODES))
def places(rows, hidden, features, first, cuts, out):
    """Write how many of a feature's cuts are at most x; HIDDEN where hidden.

    The cuts of feature number j are cuts[first[j]:first[j + 1]], rising. The search has no branch on x.
    """
    for i in range(len(rows)):
        for j in range(len(features)):
            if hidden[i, features[j]]:
                out[i, j] = HIDDEN
                continue
            x = rows[i, features[j]]
            at, left = first[j], first[j + 1] - first[j]
            if left == 1:
                out[i, j] = x >= cuts[at]
                continue
            while left > 0:
                half = (left + 1) // 2
                at += half * (x >= cuts[at + half - 1])
                left -= half
            out[i, j] = at - first[j]


@loop(void(CODES, NODES, INTS, int64))
def descend(codes, node, chosen, digit):
    """Move each row from its node to the child 2 node + (digit of the node's feature); -1 where that is hidden."""
    for i in range(len(codes)):
        if node[i] >= 0:
            code = codes[i, chosen[node[i]]]
            node[i] = -1 if code == HIDDEN else 2 * node[i] + ((code >> digit) & 1)


@loop(void(CODES, NODES, INTS, int64, int64, int64, OUT_3D))
def side_sums(codes, node, values, centre, shift, digit, sums):
    """Add 1, z and z**2 of z = (value - centre) >> shift to sums[node, 2 feature + digit], where not hidden."""
    n, m = codes.shape
    for i in range(n):
        if node[i] < 0:
            continue
        here = sums[np.uint32(node[i])]  # unsigned: no check for an index from the end
        z = (values[i] - centre) >> shift
        square = z * z
        for j in range(m):
            code = codes[i, j]
            if code != HIDDEN:
                side = np.uint32(2 * j + ((code >> digit) & 1))
                here[side, 0] += 1
                here[side, 1] += z
                here[side, 2] += square


@loop(int64(ROWS, FLAGS, FLOATS, FLOATS, OUT))
def misfits(rows, hidden, low, high, found):
    """Count, in all: shown and missing, shown and outside, hidden and missing, hidden and outside."""
    for i in range(len(rows)):
        for j in range(rows.shape[1]):
            x = rows[i, j]
            if not (low[j] <= x <= high[j]):
                found[2 * hidden[i, j] + (not np.isnan(x))] += 1
    return found.sum()
