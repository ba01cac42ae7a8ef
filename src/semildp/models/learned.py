"""What a learner on public features has learnt, as plain numbers."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from scipy.interpolate import BSpline

from semildp._arrays import Floats
from semildp.models.tree import TreeArrays

Numbers = tuple[float, ...]


class Linear(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="linear"):
    """A linear function of standardised columns; a missing entry is filled in."""

    fill: Numbers
    mean: Numbers
    scale: Numbers
    slope: Numbers
    intercept: float

    def predict(self, seen: Floats) -> Floats:
        """Return one prediction per row."""
        return _linear(_filled(seen, self.fill), self.mean, self.scale, self.slope, self.intercept)


class Splines(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="splines"):
    """A linear function of B-splines of each column, constant beyond the outer knots."""

    fill: Numbers
    knots: tuple[Numbers, ...]
    degree: int
    mean: Numbers
    scale: Numbers
    slope: Numbers
    intercept: float

    def predict(self, seen: Floats) -> Floats:
        """Return one prediction per row."""
        filled = _filled(seen, self.fill)
        basis = [self._basis(column, np.asarray(knots)) for column, knots in zip(filled.T, self.knots, strict=True)]
        return _linear(np.concatenate(basis, axis=1), self.mean, self.scale, self.slope, self.intercept)

    def _basis(self, column: Floats, knots: Floats) -> Floats:
        n_splines = len(knots) - self.degree - 1
        inside = np.clip(column, knots[self.degree], knots[n_splines])
        return np.asarray(BSpline(knots, np.eye(n_splines), self.degree)(inside))


class Forest(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="forest"):
    """The mean of trees."""

    fill: Numbers
    trees: tuple[TreeArrays, ...]

    def predict(self, seen: Floats) -> Floats:
        """Return one prediction per row."""
        filled = _filled(seen, self.fill)
        total = np.zeros(len(seen))
        for tree in self.trees:
            total += tree.predict(filled)
        return np.asarray(total / len(self.trees))


class Average(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="average"):
    """mean + trust * (weighted average of members - mean), on some of the columns."""

    columns: tuple[int, ...]
    mean: float
    trust: float
    weights: Numbers
    members: tuple[Linear | Splines | Forest, ...]

    def predict(self, seen: Floats) -> Floats:
        """Return one prediction per row."""
        if self.trust == 0 or not self.members:
            return np.full(len(seen), self.mean)
        each = np.array([member.predict(seen[:, list(self.columns)]) for member in self.members])
        return np.asarray(self.mean + self.trust * (np.asarray(self.weights) @ each - self.mean))


def _filled(seen: Floats, fill: Numbers) -> Floats:
    return np.where(np.isnan(seen), np.asarray(fill), seen)


def _linear(columns: Floats, mean: Numbers, scale: Numbers, slope: Numbers, intercept: float) -> Floats:
    return np.asarray((columns - np.asarray(mean)) / np.asarray(scale) @ np.asarray(slope) + intercept)
