"""Sums from which beliefs are made: over people, or over cells whose means are known with noise."""

from __future__ import annotations

from dataclasses import dataclass

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
        same, one = self.same or (), np.full((len(self.numbers), 1), float(self.same is None))
        each = [np.zeros_like(f) if a in same else f for a, f in enumerate(self.functions)]
        return np.concatenate([one, *each], axis=1)


def gram(told: Told) -> Floats:
    """Return the sums of products of all columns and the numbers, each at its precision; those of others add up."""
    both = np.concatenate([told.columns, told.numbers[:, None]], axis=1)
    both *= np.sqrt(told.precision)[:, None]
    return np.asarray(both.T @ both)


@dataclass(frozen=True, eq=False)
class PairSums:
    """What is told of products of two axes' functions, beyond a function of single axes; two of them merge with `+`.

    Parameters
    ----------
    num, den
        For every two functions: sums, at each number's precision, of product * what is left, and of product^2.
    """

    num: Floats
    den: Floats

    def __add__(self, other: PairSums) -> PairSums:
        return PairSums(self.num + other.num, self.den + other.den)

    def scaled(self, factor: float) -> PairSums:
        """Return the sums of numbers so many times as precise."""
        return PairSums(factor * self.num, factor * self.den)


def pair_sums(told: Told, mean: Floats) -> PairSums:
    """Sum up products, with `mean` the coefficients of single axes."""
    left = (told.numbers - told.columns @ mean) * told.precision
    first = np.concatenate([each[:, :PAIR_TERMS] for each in told.functions], axis=1)
    square = first**2
    num, den = (first * left[:, None]).T @ first, (square * told.precision[:, None]).T @ square
    if told.same is not None:
        same = np.concatenate([np.full(min(f.shape[1], PAIR_TERMS), a in told.same) for a, f in enumerate(told.functions)])
        num[np.ix_(same, same)] = den[np.ix_(same, same)] = 0.0
    return PairSums(num, den)
