"""Sums of numbers by small codes: of pairs of columns, of cuts within groups, of leaves. Compiled or not, same bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semildp._arrays import Floats, Ints

Codes = NDArray[np.uint8]
FINE, COARSE = 256, 16  # most steps of a column; of a column in a table of two


def pair_tables(codes: Codes, pairs: Ints, numbers: Floats, *, compiled: bool = False) -> Floats:
    """Add up numbers by the codes (below 16) of two columns, for each pair of columns: pair x 256."""
    if compiled:
        from semildp._kernels.compiled import tables as loops

        found = np.zeros((len(pairs), COARSE * COARSE))
        loops.pair_tables(codes, pairs, numbers, found)
        return found
    cells = codes[pairs[:, 0]] * np.uint8(COARSE) + codes[pairs[:, 1]]  # a byte
    if cells.size <= FINE * FINE:  # one call for all: most of the time goes into calls
        every = cells + COARSE * COARSE * np.arange(len(pairs))[:, None]
        each = np.broadcast_to(numbers, cells.shape).ravel()
        every_sum = np.bincount(every.ravel(), each, len(pairs) * COARSE * COARSE)
        return np.asarray(every_sum, dtype=np.float64).reshape(len(pairs), -1)
    return np.array([np.bincount(cell, numbers, COARSE * COARSE) for cell in cells])


def cut_tables(
    codes: Codes, columns: list[int], groups: Codes, n_groups: int, numbers: Floats, *, compiled: bool = False
) -> Floats:
    """Add up rows of numbers by group and code of some columns: row of numbers x column x group x 256."""
    shape = len(numbers), len(columns), n_groups, FINE
    if compiled:
        from semildp._kernels.compiled import tables as loops

        found = np.zeros(shape)
        loops.cut_tables(codes, np.asarray(columns, dtype=np.int64), groups, numbers, found)
        return found
    first = groups * np.intp(FINE)
    cells = [first + codes[column] for column in columns]
    return np.array([[np.bincount(cell, row, n_groups * FINE) for cell in cells] for row in numbers]).reshape(shape)


def best_cuts(table: Floats, least: float, *, compiled: bool = False) -> list[tuple[float, int] | None]:
    """Return, for each column of `cut_tables` of sums and weights, the gain of its best cut, and the code below it.

    The gain is the sum of sum^2 / weight over groups and both sides of the cut. None: on some side of every cut is less
    than the share `least` of the weight. The table is used up.
    """
    if compiled:
        from semildp._kernels.compiled import tables as loops

        gains, steps = np.zeros(table.shape[1]), np.zeros(table.shape[1], dtype=np.int64)
        loops.best_cuts(table, least, gains, steps)
        each = zip(gains.tolist(), steps.tolist(), strict=True)
        return [(gain, step) if step >= 0 else None for gain, step in each]
    below = table.cumsum(axis=3)
    above = below[..., -1:] - below
    enough = np.minimum(below[1], above[1]).min(axis=1) >= least * below[1, ..., -1].sum(axis=1)[:, None]
    found = list[tuple[float, int] | None]()
    for may, (sums, weights), (rest, others) in zip(enough, below.swapaxes(0, 1), above.swapaxes(0, 1), strict=True):
        at = np.flatnonzero(may)
        if not len(at):
            found.append(None)
            continue
        gain = (sums[:, at] ** 2 / weights[:, at] + rest[:, at] ** 2 / others[:, at]).sum(axis=0)
        best = int(np.argmax(gain))
        found.append((float(gain[best]), int(at[best])))
    return found


def quadrants(tables: Floats) -> Floats:
    """Return the sums in the four quadrants of every pair cut after codes a and b, of `pair_tables`."""
    below = tables.reshape(-1, COARSE, COARSE).cumsum(axis=1).cumsum(axis=2)
    up, down = below[:, :, -1:] - below, below[:, -1:, :] - below
    return np.array([below, up, down, below[:, -1:, -1:] - below - up - down])


def best_quadrants(tables: Floats, inverse: Floats, weight: float, handicap: Floats, *, compiled: bool = False) -> int:
    """Return the place, in (pairs, 16, 16), of the most gain: the sum of square * inverse / weight, less handicap."""
    if compiled:
        from semildp._kernels.compiled import tables as loops

        return int(loops.best_quadrants(tables, inverse, weight, handicap))
    return int(np.argmax((quadrants(tables) ** 2 * inverse).sum(axis=0) / weight - handicap))


def leaf_sums(
    codes: Codes, columns: list[int], steps: list[int], numbers: Floats, *, compiled: bool = False
) -> tuple[Codes, Floats]:
    """Return everybody's leaf, and the sums of rows of numbers by leaf.

    A code above the step of a column goes up; the first column is the highest bit of the leaf.
    """
    n_leaves = 2 ** len(columns)
    if compiled:
        from semildp._kernels.compiled import tables as loops

        leaf, found = np.empty(codes.shape[1], dtype=np.uint8), np.zeros((len(numbers), n_leaves))
        cuts = np.asarray(columns, dtype=np.int64), np.asarray(steps, dtype=np.int64)
        loops.leaf_sums(codes, *cuts, numbers, leaf, found)
        return leaf, found
    leaf = leaves(codes, columns, steps)
    return leaf, np.array([np.bincount(leaf, row, n_leaves) for row in numbers])


def leaves(codes: Codes, columns: list[int], steps: list[int]) -> Codes:
    """Return everybody's leaf, as `leaf_sums` does."""
    leaf = np.zeros(codes.shape[1], dtype=np.uint8)
    for column, step in zip(columns, steps, strict=True):
        leaf = leaf * np.uint8(2) + (codes[column] > step)
    return leaf


def subtract_leaves(moved: Floats, w: Floats, values: Floats, leaf: Codes, *, compiled: bool = False) -> None:
    """Subtract w * the value of everybody's leaf from `moved`, in place."""
    if compiled:
        from semildp._kernels.compiled import tables as loops

        loops.subtract_leaves(moved, w, values, leaf)
        return
    moved -= w * values[leaf]
