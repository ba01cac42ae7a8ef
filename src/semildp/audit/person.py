"""The people whose visits are audited: they differ in what is private only.

Two features are private: the first is cut in bins, the third is in the tree; the second is public.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semildp.audit.study import AuditStudy
from semildp.audit.visit import Part
from semildp.domains import FeatureBounds, LabelGrid
from semildp.mechanisms import LABEL_MECHANISMS
from semildp.partition import Tree

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

BOUNDS = FeatureBounds((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
PUBLIC = 0.7
TREE = Tree((1, 2, 2, -1, -1, -1, -1), (0.5, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0), (1, 3, 5, 0, 0, 0, 0))


@dataclass(frozen=True)
class Person:
    """One person's raw data: all features, which of them are private, and the label."""

    features: tuple[float, ...]
    mask: tuple[bool, ...]
    label: float

    def rows(self, n: int) -> tuple[Floats, Bools, Floats]:
        """Return features, mask and label of n such people."""
        return np.tile(self.features, (n, 1)), np.tile(self.mask, (n, 1)), np.full(n, self.label)


def people(study: AuditStudy, *, hidden: bool = False) -> tuple[Person, ...]:
    """Return people who differ in what is private only: at both ends, a feature missing, a label out of bounds."""
    low, high = study.label_bounds
    beyond = high + (high - low)
    if hidden:
        rows = [((0.1, 0.1, 0.1), (True, False, False)), ((0.9, 0.9, 0.9), (False, True, True))]
    else:
        rows = [((x, PUBLIC, x), (True, False, True)) for x in (0.1, 0.9)]
    extremes = [Person(x, mask, y) for (x, mask), y in itertools.product(rows, (low, high))]
    x, mask = rows[0]
    return (*extremes, Person((np.nan, *x[1:]), mask, beyond))


def label_part(name: str, grid: LabelGrid, epsilon: float) -> Part[Person]:
    """Return the share of a label report, sent in the first column."""

    def point(person: Person) -> int | None:
        return int(grid.encode(np.array([person.label]))[0])

    return Part(LABEL_MECHANISMS[name](epsilon, grid.steps), point, lambda sent: sent[:, 0])
