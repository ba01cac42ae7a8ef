"""The loops over codes of one byte, in NumPy: what is used where the compiled ones are not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semildp._arrays import Bools, Floats, Ints
from semildp._kernels.sums import counts_by_group, sums_by_group

HIDDEN = 255  # the code of an entry that is not shown; in codes of more bytes, the largest that they can hold
MOST_CUTS = HIDDEN - 1

Codes = NDArray[Any]  # bytes; NumPy takes longer codes as well
Nodes = NDArray[np.int32]


def places(rows: Floats, hidden: Bools, features: Ints, first: Ints, cuts: Floats, out: Codes) -> None:
    """Write how many of a feature's cuts are at most x; HIDDEN where hidden.

    The cuts of feature number j are cuts[first[j]:first[j + 1]], rising.
    """
    for j, feature in enumerate(features.tolist()):
        x = np.where(hidden[:, feature], 0.0, rows[:, feature])
        place = np.searchsorted(cuts[first[j] : first[j + 1]], x, side="right")
        out[:, j] = np.where(hidden[:, feature], _hidden(out), place)


def _hidden(codes: Codes) -> int:
    return int(np.iinfo(codes.dtype).max)


def descend(codes: Codes, node: Nodes, chosen: Ints, digit: int) -> None:
    """Move each row from its node to the child 2 node + (digit of the node's feature); -1 where that is hidden."""
    rows = np.flatnonzero(node >= 0)
    code = codes[rows, chosen[node[rows]]]
    node[rows] = np.where(code == _hidden(codes), -1, 2 * node[rows] + ((code >> digit) & 1).astype(np.int32))


def side_sums(codes: Codes, node: Nodes, values: Ints, centre: int, shift: int, digit: int, sums: Ints) -> None:
    """Add 1, z and z**2 of z = (value - centre) >> shift to sums[node, 2 feature + digit], where not hidden."""
    n_nodes = len(sums)
    for j in range(codes.shape[1]):
        here = np.flatnonzero((node >= 0) & (codes[:, j] != _hidden(codes)))
        side = 2 * node[here].astype(np.int64) + ((codes[here, j] >> digit) & 1).astype(np.int64)
        z = (values[here] - centre) >> shift
        parts = counts_by_group(side, 2 * n_nodes), *(sums_by_group(side, w, 2 * n_nodes) for w in (z, z * z))
        for k, part in enumerate(parts):
            sums[:, 2 * j : 2 * j + 2, k] += part.reshape(-1, 2)


def misfits(rows: Floats, hidden: Bools, low: Floats, high: Floats, found: Ints) -> int:
    """Count, in all: shown and missing, shown and outside, hidden and missing, hidden and outside."""
    missing = np.isnan(rows)
    outside = (rows < low) | (rows > high)
    found += [int((bad & side).sum()) for side in (~hidden, hidden) for bad in (missing, outside)]
    return int(found.sum())
