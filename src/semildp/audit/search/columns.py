"""Whatever was sent, as columns of whole numbers, and those as a few codes that can be counted.

Of a number with many values two things are kept: roughly how large it is, and the place of its lowest binary digit. The
second is how floating-point noise gives itself away: sums are rounded to a grid that depends on the private number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semildp._arrays import Floats, Ints

FEW = 64  # A column with at most so many values is counted value by value.
BINS = 64
_COMPARED = 8  # Starts of codes that are compared one by one, which is faster than to search among them.
_LARGEST_JOINT = 1 << 14  # Codes of all columns together; more are hashed to so many.
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


def columns(*fields: NDArray[Any]) -> Ints:
    """Lay fields side by side, one row per person; floats become whole numbers in the same order, bit for bit."""
    return np.concatenate([_whole(np.asarray(field)) for field in fields], axis=1)


def as_columns(sent: NDArray[Any]) -> Ints:
    """Return what was sent, one row per person; beside each float, the place of its lowest binary digit."""
    array = np.asarray(sent)
    if array.dtype.kind == "f":
        return columns(array, lowest_digit(array.reshape(len(array), -1)))
    return columns(array)


def lowest_digit(numbers: Floats) -> Ints:
    """Return the exponent of the lowest binary digit of each float; -2000 for 0 and what is not finite."""
    numbers = np.asarray(numbers, dtype=np.float64)
    usable = np.isfinite(numbers) & (numbers != 0)
    fraction, exponent = np.frexp(np.where(usable, numbers, 1.0))
    digits = np.abs(np.ldexp(fraction, 53)).astype(np.int64)
    return np.where(usable, exponent - 53 + _trailing_zeros(digits), -2000).astype(np.int64)


def _trailing_zeros(numbers: Ints) -> Ints:
    """Return how many binary zeros each whole number ends in; 64 for 0."""
    lowest = numbers & -numbers
    return np.where(numbers == 0, 64, np.log2(np.maximum(np.abs(lowest.astype(np.float64)), 1.0)).astype(np.int64))


def _whole(field: NDArray[Any]) -> Ints:
    if field.dtype.kind == "O":
        if field.ndim == 2:
            return np.array([[hash(item) for item in row] for row in field], dtype=np.int64)
        return np.array([hash(item) for item in field], dtype=np.int64)[:, None]
    field = field.reshape(len(field), -1)
    if field.dtype.kind == "f":
        bits = np.ascontiguousarray(field, dtype=np.float64).view(np.int64)
        return np.where(bits < 0, bits ^ np.int64(2**63 - 1), bits)
    return field.astype(np.int64)


@dataclass(frozen=True, eq=False)
class Coder:
    """Turns rows of columns into rows of small codes; learned from rows of all inputs together.

    Parameters
    ----------
    cuts
        Per code: which column, whether its trailing zeros are meant, and the values that start a new code.
    """

    cuts: tuple[tuple[int, bool, Ints], ...]

    @classmethod
    def learn(cls, rows: Ints) -> Coder:
        """Choose the codes; a column that never changes has none."""
        cuts: list[tuple[int, bool, Ints]] = []
        for j, column in enumerate(rows.T):
            distinct = np.unique(column)
            if 1 < len(distinct) <= FEW:
                cuts.append((j, False, distinct[1:]))
            elif len(distinct) > FEW:
                places = (np.arange(1, BINS) * len(column)) // BINS
                cuts.append((j, False, np.unique(np.partition(column, places)[places])))
                zeros = np.unique(_trailing_zeros(column))
                cuts.append((j, True, zeros[1:]))
        return cls(tuple(cuts))

    @property
    def sizes(self) -> list[int]:
        """How many values each code has."""
        return [len(starts) + 1 for _, _, starts in self.cuts]

    @property
    def joint_size(self) -> int | None:
        """How many values all codes together have, at most _LARGEST_JOINT; None where there is one code only."""
        size = float(np.prod([float(s) for s in self.sizes]))
        return int(min(size, _LARGEST_JOINT)) if len(self.cuts) > 1 else None

    def codes(self, rows: Ints) -> list[Ints]:
        """Return each code of each row, and last, where there are several, that of all together."""
        out = [_code(_trailing_zeros(rows[:, j]) if zeros else rows[:, j], starts) for j, zeros, starts in self.cuts]
        if self.joint_size is not None:
            joint = np.zeros(len(rows), dtype=np.uint64)
            for code, size in zip(out, self.sizes, strict=True):
                joint = joint * np.uint64(size) + code.astype(np.uint64)  # wraps around where there are very many
            if np.prod([float(s) for s in self.sizes]) > _LARGEST_JOINT:
                joint = (joint * _MULTIPLIER) >> np.uint64(50)
            out.append(joint.astype(np.int64))
        return out


def _code(column: Ints, starts: Ints) -> Ints:
    """Return how many of the rising `starts` are at most as large as each number."""
    if len(starts) > _COMPARED:
        return np.searchsorted(starts, column, side="right")
    code = np.zeros(len(column), dtype=np.int64)
    for start in starts:
        code += column >= start
    return code
