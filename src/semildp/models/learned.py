"""What a learner on public features has learnt, as plain numbers."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from semildp._arrays import Floats
from semildp._kernels.choosing import pays
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
        compiled = pays(len(seen) * len(chosen))
        for start in range(0, len(seen), _CHUNK):
            rows = seen[start : start + _CHUNK, chosen]
            filled = np.where(np.isnan(rows), centre, rows)
            total[start : start + _CHUNK] += spline_basis(filled, low, high, compiled=compiled) @ values
        return total


class Block(Struct, frozen=True, forbid_unknown_fields=True):
    """A tree with the same cut everywhere at each of its levels.

    Parameters
    ----------
    columns, cuts
        Per level: x goes up iff x[column] > cut, in 32-bit floats; a missing entry stays below.
    values
        Per leaf; the first level is the highest bit of a leaf's number.
    """

    columns: tuple[int, ...]
    cuts: Numbers
    values: Numbers


class Blocks(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="blocks"):
    """The sum of blocks."""

    blocks: tuple[Block, ...]

    def predict(self, seen: Floats) -> Floats:
        """Return one number per row."""
        total = np.zeros(len(seen))
        for start in range(0, len(seen), _CHUNK):
            rows = slice(start, start + _CHUNK)
            narrow = np.ascontiguousarray(seen[rows].T, dtype=np.float32)
            for block in self.blocks:
                leaf = np.zeros(narrow.shape[1], dtype=np.uint8)
                for column, cut in zip(block.columns, block.cuts, strict=True):
                    leaf = 2 * leaf + (narrow[column] > np.float32(cut))
                total[rows] += np.asarray(block.values)[leaf]
        return total


class Average(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="average"):
    """mean + trust * (weighted sum of members), on some of the columns, cut to the range of 32-bit floats."""

    columns: tuple[int, ...]
    mean: float
    trust: float
    weights: Numbers
    members: tuple[Linear | Splines | Blocks, ...]

    def predict(self, seen: Floats) -> Floats:
        """Return one prediction per row."""
        if self.trust == 0 or not self.members:
            return np.full(len(seen), self.mean)
        used = np.clip(seen[:, list(self.columns)], -LARGEST, LARGEST)
        each = np.array([member.predict(used) for member in self.members])
        return np.asarray(self.mean + self.trust * (np.asarray(self.weights) @ each))
