"""What a learner on public features has learnt, as plain numbers."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from semildp._arrays import Floats
from semildp.models.splines import N_SPLINES, spline_basis
from semildp.models.tree import LARGEST

Numbers = tuple[float, ...]
_CHUNK = 2**14  # rows expanded in splines at a time: memory


class Linear(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="linear"):
    """intercept + slope . (x - centre), plus `missing` of each missing entry, whose x - centre is 0.

    Parameters
    ----------
    centre, slope, missing
        Per column.
    intercept
        The prediction at the centre.
    """

    centre: Numbers
    slope: Numbers
    missing: Numbers
    intercept: float

    def predict(self, seen: Floats) -> Floats:
        """Return one prediction per row."""
        gone = np.isnan(seen)
        away = np.where(gone, 0.0, seen - np.asarray(self.centre))
        return np.asarray(away @ np.asarray(self.slope) + gone @ np.asarray(self.missing) + self.intercept)


class Splines(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="splines"):
    """A linear function plus, for some columns, cubic splines on even knots, constant beyond the outer ones.

    Parameters
    ----------
    line
        The linear function.
    columns
        The columns that have splines; a missing entry counts as the centre.
    low, high
        The outer knots of each of them.
    values
        The coefficients of the seven splines of each of them.
    """

    line: Linear
    columns: tuple[int, ...]
    low: Numbers
    high: Numbers
    values: tuple[Numbers, ...]

    def predict(self, seen: Floats) -> Floats:
        """Return one prediction per row."""
        total = self.line.predict(seen)
        chosen = list(self.columns)
        centre, low, high = np.asarray(self.line.centre)[chosen], np.asarray(self.low), np.asarray(self.high)
        values = np.asarray(self.values, dtype=np.float64).reshape(len(chosen) * N_SPLINES)
        for start in range(0, len(seen), _CHUNK):
            rows = seen[start : start + _CHUNK, chosen]
            total[start : start + _CHUNK] += spline_basis(np.where(np.isnan(rows), centre, rows), low, high) @ values
        return total


class PairTable(Struct, frozen=True, forbid_unknown_fields=True):
    """A table over the steps of two columns: row * 16 + column of `values`.

    Parameters
    ----------
    first, second
        Places of the two columns in `PairTables.edges`.
    values
        256 numbers.
    """

    first: int
    second: int
    values: Numbers


class PairTables(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="pair-tables"):
    """The sum of tables over pairs of columns, added to other members: interactions.

    Parameters
    ----------
    edges
        Per column, at most 15 increasing numbers; step k of a column is where exactly k of them are below x, in
        32-bit floats. A missing entry is in step 0.
    tables
        One table per pair.
    """

    edges: tuple[Numbers, ...]
    tables: tuple[PairTable, ...]

    def predict(self, seen: Floats) -> Floats:
        """Return one number per row."""
        total, steps = np.zeros(len(seen)), step_codes(seen, self.edges)
        for table in self.tables:
            total += np.asarray(table.values)[pair_codes(steps, table.first, table.second)]
        return total


class Average(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="average"):
    """mean + trust * (weighted sum of members - mean), on some of the columns."""

    columns: tuple[int, ...]
    mean: float
    trust: float
    weights: Numbers
    members: tuple[Linear | Splines | PairTables, ...]

    def predict(self, seen: Floats) -> Floats:
        """Return one prediction per row."""
        if self.trust == 0 or not self.members:
            return np.full(len(seen), self.mean)
        each = np.array([member.predict(seen[:, list(self.columns)]) for member in self.members])
        return np.asarray(self.mean + self.trust * (np.asarray(self.weights) @ each - self.mean))


def step_codes(seen: Floats, edges: tuple[Numbers, ...]) -> NDArray[np.uint8]:
    """Return, per column (rows of the result), how many of its edges are below each entry; 0 for a missing one."""
    codes = np.zeros((len(edges), len(seen)), dtype=np.uint8)
    for code, column, cuts in zip(codes, seen.T, edges, strict=True):
        narrow = np.clip(column, -LARGEST, LARGEST).astype(np.float32)
        for cut in np.asarray(cuts, dtype=np.float32):
            code += narrow > cut
    return codes


def pair_codes(steps: NDArray[np.uint8], first: int, second: int) -> NDArray[np.uint8]:
    """Return the cell, 0..255, of each row in the table of two columns."""
    return np.asarray(steps[first] * np.uint8(16) + steps[second])
