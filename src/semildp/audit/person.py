"""The people whose visits are audited: they differ in what is private only.

Two features are private: the first is cut in bins, the third is in the tree; the second is public.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semildp.audit.study import AuditStudy
from semildp.audit.visit import Outputs, Part
from semildp.domains import FeatureBounds, LabelGrid
from semildp.mechanisms import LABEL_MECHANISMS
from semildp.partition import Tree
from semildp.sources import Source

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Report = Callable[[Floats, Bools, Floats, int, Source], Outputs]  # of the first so many of all people

BOUNDS = FeatureBounds((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
PUBLIC = 0.7
TREE = Tree((1, 2, 2, -1, -1, -1, -1), (0.5, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0), (1, 3, 5, 0, 0, 0, 0))
BOTH, FIRST, NONE = (True, False, True), (True, False, False), (False, False, False)  # what is private
_MOST_LABELS = 1025


@dataclass(frozen=True)
class Person:
    """One person's raw data: all features, which of them are private, and the label."""

    features: tuple[float, ...]
    mask: tuple[bool, ...]
    label: float

    def rows(self, n: int) -> tuple[Floats, Bools, Floats]:
        """Return features, mask and label of n such people."""
        return np.tile(self.features, (n, 1)), np.tile(self.mask, (n, 1)), np.full(n, self.label)


def people(study: AuditStudy, *, hidden: bool = False, private: tuple[bool, ...] = BOTH) -> tuple[Person, ...]:
    """Return people who differ in what is private only: at both ends, a feature missing, a label out of bounds."""
    low, high = study.label_bounds
    if private == NONE:
        return tuple(Person((0.1, PUBLIC, 0.1), NONE, y) for y in (low, high, high + (high - low)))
    if private == FIRST:
        rows = [((x, PUBLIC, 0.1), FIRST) for x in (0.1, 0.9)]
    elif hidden:
        rows = [((0.1, 0.1, 0.1), FIRST), ((0.9, 0.9, 0.9), (False, True, True))]
    else:
        rows = [((x, PUBLIC, x), BOTH) for x in (0.1, 0.9)]
    extremes = [Person(x, mask, y) for (x, mask), y in itertools.product(rows, (low, high))]
    crossed = [] if hidden or private == FIRST else [Person((x, PUBLIC, 1 - x), BOTH, low) for x in (0.1, 0.9)]
    x, mask = rows[0]
    return (*extremes, *crossed, Person((np.nan, *x[1:]), mask, high + (high - low)))


def everyone(study: AuditStudy, grid: LabelGrid | None, private: tuple[bool, ...] = BOTH) -> tuple[Person, ...]:
    """Return people with every bin of the first feature, either side of the third, and every point of a label grid."""
    low, high = study.label_bounds
    points = 2 if grid is None else min(grid.steps, _MOST_LABELS - 1)
    labels = np.linspace(low, high, points + 1)
    middles = (np.arange(study.bins) + 0.5) / study.bins
    rows = list(itertools.product(middles, (0.1, 0.9)))
    if private == NONE:
        rows = [(0.1, 0.1)]
    elif private == FIRST:
        rows = [(x, 0.1) for x in middles]
    n = max(len(rows), len(labels)) if grid is not None and points > 64 else len(rows) * len(labels)
    pairs = ((rows[i % len(rows)], labels[i // len(rows) % len(labels) if n > len(labels) else i]) for i in range(n))
    return tuple(Person((float(a), PUBLIC, float(b)), private, float(y)) for (a, b), y in pairs)


def sender(study: AuditStudy, report: Report) -> dict[str, Any]:
    """Return how a visit sends: many people with one input; and different people, some of other masks among them."""
    middle = sum(study.label_bounds) / 2
    bystanders = [Person((0.3, 0.2, 0.6), mask, middle) for mask in (NONE, FIRST)]

    def send(person: Person, n: int, source: Source) -> Outputs:
        return report(*person.rows(n), n, source)

    def mixed(asked: Sequence[Person], source: Source) -> Outputs:
        rows = [*asked, *bystanders] if len(asked) > 1 else asked
        X, mask, y = (np.array([getattr(p, name) for p in rows]) for name in ("features", "mask", "label"))
        return report(X, mask, y, len(asked), source)

    return {"send": send, "mixed": mixed}


def on_grid(grid: LabelGrid, number: float, *, nearest: bool = False) -> int | None:
    """Return the grid point a number is on, or nearest to; None where it is between two and rounded at random."""
    at = (np.clip(number, grid.low, grid.high) - grid.low) / (grid.high - grid.low) * grid.steps
    return int(np.rint(at)) if nearest or abs(at - np.rint(at)) < 1e-9 else None


def label_part(name: str, grid: LabelGrid, epsilon: float) -> Part[Person]:
    """Return the share of a label report, sent in the first column."""

    def point(person: Person) -> int | None:
        return on_grid(grid, person.label, nearest=name == "laplace")

    return Part(LABEL_MECHANISMS[name](epsilon, grid.steps), point, lambda sent: sent[:, 0])
