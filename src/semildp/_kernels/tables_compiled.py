"""The loops of `tables`, compiled; people are added in their order, so that sums have the same bits."""

# mypy: disable-error-code="no-untyped-def, misc"
from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def pair_tables(codes, pairs, numbers, found):
    """Add up numbers by the codes of two columns, for each pair of columns."""
    for p in range(len(pairs)):
        first, second = codes[pairs[p, 0]], codes[pairs[p, 1]]
        for i in range(len(numbers)):
            found[p, 16 * np.intp(first[i]) + np.intp(second[i])] += numbers[i]


@njit(nogil=True, cache=True)
def cut_tables(codes, columns, groups, numbers, found):
    """Add up rows of numbers by group and code of some columns."""
    for c in range(len(columns)):
        code = codes[columns[c]]
        for i in range(len(groups)):
            g, k = np.intp(groups[i]), np.intp(code[i])
            for row in range(len(numbers)):
                found[row, c, g, k] += numbers[row, i]


@njit(nogil=True, cache=True)
def leaf_sums(codes, columns, steps, numbers, leaf, found):
    """Write everybody's leaf, and add up rows of numbers by leaf."""
    for i in range(len(leaf)):
        at = 0
        for c in range(len(columns)):
            at = 2 * at + (1 if codes[columns[c], i] > steps[c] else 0)
        leaf[i] = at
        for row in range(len(numbers)):
            found[row, at] += numbers[row, i]


@njit(nogil=True, cache=True)
def subtract_leaves(moved, w, values, leaf):
    """Subtract w * the value of everybody's leaf."""
    for i in range(len(moved)):
        moved[i] -= w[i] * values[leaf[i]]
