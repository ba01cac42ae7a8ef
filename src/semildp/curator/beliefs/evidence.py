"""Sums from which beliefs are made: over people, or over cells whose means are known with noise."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from semildp._arrays import Floats
from semildp.models.belief import PAIR_TERMS


@dataclass(frozen=True, eq=False)
class Told:
    """Numbers that are f on average plus noise: of people, or means over cells.

    Parameters
    ----------
    functions
        For each axis, its functions (column) for each number (row), or their averages over a cell.
    numbers, precision
        What was told, less a constant; and one over the variance of its noise.
    same
        If numbers are differences of f between places: the axes that are the same at both. Their functions count in
        products with others only, and the constant does not.
    """

    functions: list[Floats]
    numbers: Floats
    precision: Floats
    same: tuple[int, ...] | None = None

    @property
    def columns(self) -> Floats:
        """A column of ones, and the functions of all axes."""
        same, one = self.same or (), np.full((1, len(self.numbers)), float(self.same is None))
        each = [np.zeros_like(f.T) if a in same else f.T for a, f in enumerate(self.functions)]
        return np.concatenate([one, *each]).T


def gram(told: Told) -> Floats:
    """Return the sums of products of all columns and the numbers, each at its precision; those of others add up."""
    both = np.concatenate([told.columns.T, told.numbers[None]])
    both *= np.sqrt(told.precision)
    return np.asarray(both @ both.T)


@dataclass(frozen=True, eq=False)
class PairSums:
    """What is told of products of two axes' functions, beyond a function of single axes; two of them merge with `+`.

    Parameters
    ----------
    num
        For every two axes, in the order of `pairs_of`, and every product: the sum, at each number's precision, of
        product * what is left.
    gram
        For every two axes: sums of products of their products.
    """

    num: Floats
    gram: Floats

    def __add__(self, other: PairSums) -> PairSums:
        return PairSums(self.num + other.num, self.gram + other.gram)

    def scaled(self, factor: float) -> PairSums:
        """Return the sums of numbers so many times as precise."""
        return PairSums(factor * self.num, factor * self.gram)


def pairs_of(n_axes: int) -> list[tuple[int, int]]:
    """Return every two axes."""
    return list(combinations(range(n_axes), 2))


def people_pairs(told: Told, mean: Floats) -> PairSums:
    """Sum up products over people, with `mean` the coefficients of single axes.

    Products of cosines of people's ranks are nearly orthogonal, so squares are all that is summed up: by two matrix
    products for all pairs.
    """
    left = (told.numbers - told.columns @ mean) * told.precision
    first = np.concatenate([each.T for each in _first(told)])
    square = first**2
    num, den = (first * left) @ first.T, (square * told.precision) @ square.T
    size = (len(told.functions), PAIR_TERMS) * 2
    both = [num.reshape(size)[i, :, j].ravel() for i, j in pairs_of(len(told.functions))]
    diagonal = [np.diag(den.reshape(size)[i, :, j].ravel()) for i, j in pairs_of(len(told.functions))]
    return _pair_sums(both, diagonal)


def cell_pairs(told: Told, mean: Floats) -> PairSums:
    """Sum up products over cells: averages of different cosines over a cell may tell the same."""
    left, first, same = (told.numbers - told.columns @ mean) * told.precision, _first(told), told.same or ()
    num, gram = [], []
    for i, j in pairs_of(len(told.functions)):
        product = (first[i][:, :, None] * first[j][:, None, :]).reshape(len(left), -1)
        if i in same and j in same:
            product = np.zeros_like(product)
        num.append(left @ product)
        gram.append((product * told.precision[:, None]).T @ product)
    return _pair_sums(num, gram)


def _pair_sums(num: list[Floats], gram: list[Floats]) -> PairSums:
    """Put the sums of all pairs together; a single axis has none."""
    size = PAIR_TERMS**2
    return PairSums(np.reshape(num, (len(num), size)), np.reshape(gram, (len(gram), size, size)))


def _first(told: Told) -> list[Floats]:
    """Return the first functions of each axis; those that an axis does not have are 0."""
    pad = [(each[:, :PAIR_TERMS], PAIR_TERMS - min(each.shape[1], PAIR_TERMS)) for each in told.functions]
    return [np.pad(each, ((0, 0), (0, more))) if more else each for each, more in pad]
