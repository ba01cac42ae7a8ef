"""The loops of `tables`, compiled; people are added in their order, so that sums have the same bits."""

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


@njit(nogil=True, cache=True)
def best_cuts(table, least, gains, steps):
    """Write the gain of the best cut of each column within all groups, and its step; -1 if none can be cut."""
    columns, groups, fine = table.shape[1:]
    for c in range(columns):
        weight = 0.0
        for g in range(groups):
            for k in range(1, fine):
                table[0, c, g, k] += table[0, c, g, k - 1]
                table[1, c, g, k] += table[1, c, g, k - 1]
            weight += table[1, c, g, fine - 1]
        steps[c] = -1
        for k in range(fine):
            gain, enough = 0.0, True
            for g in range(groups):
                light, heavy = table[1, c, g, k], table[1, c, g, fine - 1] - table[1, c, g, k]
                if not min(light, heavy) >= least * weight:
                    enough = False
                    break
                above = table[0, c, g, fine - 1] - table[0, c, g, k]
                gain += table[0, c, g, k] * table[0, c, g, k] / light + above * above / heavy
            if enough and (steps[c] < 0 or gain > gains[c]):
                gains[c], steps[c] = gain, k


@njit(nogil=True, cache=True)
def best_quadrants(tables, inverse, weight, handicap):
    """Return the place, in the flat (pairs, 16, 16), of the largest gain of two cuts."""
    best, most = 0, -np.inf
    below = np.empty((16, 16))
    for p in range(len(tables)):
        for a in range(16):
            for b in range(16):
                below[a, b] = tables[p, 16 * a + b] + (below[a - 1, b] if a else 0.0)
        for a in range(16):
            for b in range(1, 16):
                below[a, b] += below[a, b - 1]
        for a in range(16):
            for b in range(16):
                up, down = below[a, 15] - below[a, b], below[15, b] - below[a, b]
                rest = below[15, 15] - below[a, b] - up - down
                gain = below[a, b] ** 2 * inverse[0, p, a, b] + up**2 * inverse[1, p, a, b]
                gain = gain + down**2 * inverse[2, p, a, b] + rest**2 * inverse[3, p, a, b]
                gain = gain / weight - handicap[p, a, b]
                if gain > most:
                    most, best = gain, 256 * p + 16 * a + b
    return best
