"""Sums of numbers by small codes: of pairs of columns, of cuts within groups, of leaves. Compiled or not, same bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semildp._arrays import Floats, Ints

Codes = NDArray[np.uint8]
FINE, COARSE = 256, 16  # most steps of a column; of a column in a table of two
_TINY = 1e-300  # a weight that is 0 is not divided by


def pair_tables(codes: Codes, pairs: Ints, numbers: Floats, *, compiled: bool = False) -> Floats:
    """Add up numbers by the codes (below 16) of two columns, for each pair of columns: pair x 256."""
    if compiled:
        from semildp._kernels.compiled import tables as loops

        found = np.zeros((len(pairs), COARSE * COARSE))
        loops.pair_tables(codes, pairs, numbers, found)
        return found
    return cell_tables(pair_cells(codes, pairs), numbers)


def pair_cells(codes: Codes, pairs: Ints) -> Codes:
    """Return one byte for the codes (below 16) of two columns, for each pair of columns: pair x person."""
    return np.asarray(codes[pairs[:, 0]] * np.uint8(COARSE) + codes[pairs[:, 1]])


def cell_tables(cells: Codes, numbers: Floats) -> Floats:
    """Add up numbers by the cells of each pair, as `pair_tables` does."""
    found = np.empty((len(cells), COARSE * COARSE))
    for table, cell in zip(found, cells, strict=True):
        table[:] = np.bincount(cell, numbers, COARSE * COARSE)
    return found


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
    light = np.minimum(below[1], above[1]).min(axis=1)  # column x code
    enough = light >= least * below[1, ..., -1].sum(axis=1)[:, None]
    (sums, weights), (rest, others) = below, above
    for number, weight in ((sums, weights), (rest, others)):
        number *= number
        number /= np.maximum(weight, _TINY, out=weight)
    sums += rest
    gain = np.where(enough, sums.sum(axis=1), -np.inf)
    best = gain.argmax(axis=1).tolist()
    may = enough.any(axis=1).tolist()
    return [(float(row[at]), at) if any_ else None for row, at, any_ in zip(gain, best, may, strict=True)]


def quadrants(tables: Floats) -> Floats:
    """Return the sums in the four quadrants of every pair cut after codes a and b, of `pair_tables`."""
    below = tables.reshape(-1, COARSE, COARSE).cumsum(axis=1).cumsum(axis=2)
    found = np.empty((4, *below.shape))
    first, up, down, rest = found
    first[:] = below
    np.subtract(below[:, :, -1:], below, out=up)
    np.subtract(below[:, -1:, :], below, out=down)
    np.subtract(below[:, -1:, -1:], below, out=rest)
    rest -= up
    rest -= down
    return found


def best_quadrants(tables: Floats, inverse: Floats, weight: float, handicap: Floats, *, compiled: bool = False) -> int:
    """Return the place, in (pairs, 16, 16), of the most gain: the sum of square * inverse / weight, less handicap."""
    if compiled:
        from semildp._kernels.compiled import tables as loops

        return int(loops.best_quadrants(tables, inverse, weight, handicap))
    first, *more = quadrants(tables)
    for square, part in zip((first, *more), inverse, strict=True):
        square *= square
        square *= part
    for square in more:
        first += square
    first /= weight
    first -= handicap
    return int(np.argmax(first))


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
    return leaf, sums_of_leaves(leaf, numbers, n_leaves)


def sums_of_leaves(leaf: Codes, numbers: Floats, n_leaves: int) -> Floats:
    """Add up rows of numbers by leaf."""
    return np.array([np.bincount(leaf, row, n_leaves) for row in numbers])


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
