"""The people whose visits are audited: they differ in what is private only."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from semildp._arrays import Bools, Floats
from semildp.domains import LabelGrid
from semildp.study import Category, Study

MOST_PEOPLE = 1025  # people who together have every private value, at most


@dataclass(frozen=True)
class Person:
    """One person's raw data: all features as numbers, which of them the person hides, and the label."""

    features: tuple[float, ...]
    mask: tuple[bool, ...]
    label: float


def arrays(people: list[Person]) -> tuple[Floats, Bools, Floats]:
    """Return features, masks and labels of people."""
    X, mask, y = (np.array([getattr(p, name) for p in people]) for name in ("features", "mask", "label"))
    return X.astype(np.float64), mask.astype(np.bool_), y.astype(np.float64)


def people(study: Study, row: Floats, hidden: Bools) -> tuple[Person, ...]:
    """Return people at both ends of what is private, at ends that differ, with a feature missing, a label beyond.

    `hidden` is what the person hides. Where masks are hidden in the study, the mask is private too, and so is all else.
    """
    low, high = study.label_bounds
    private = np.ones_like(hidden) if study.hide_mask else hidden
    ends = [np.where(private, _end(study, share), row) for share in (0.1, 0.9)]
    crossed = np.where(np.arange(len(row)) % 2 == 0, *ends)
    masks = [hidden, ~hidden] if study.hide_mask else [hidden, hidden]
    found = [_person(x, m, y) for (x, m), y in itertools.product(zip(ends, masks, strict=True), (low, high))]
    if private.any():
        found.append(_person(crossed, hidden, low))
    missing = np.where(private, np.nan, row)
    return (*found, _person(missing, hidden, high + (high - low)))


def everyone(study: Study, row: Floats, hidden: Bools, grid: LabelGrid, bins: int) -> tuple[Person, ...]:
    """Return people with every bin of what they hide (all at once) and every point of a label grid."""
    private = np.ones_like(hidden) if study.hide_mask else hidden
    shares = (np.arange(bins) + 0.5) / bins if private.any() else np.array([0.5])
    rows = [np.where(private, _end(study, share), row) for share in shares]
    labels = np.linspace(grid.low, grid.high, min(grid.steps, MOST_PEOPLE - 1) + 1)
    n = max(len(rows), len(labels)) if len(rows) * len(labels) > MOST_PEOPLE else len(rows) * len(labels)
    every = [(rows[i % len(rows)], labels[(i // len(rows) if n > len(labels) else i) % len(labels)]) for i in range(n)]
    return tuple(_person(x, hidden, float(y)) for x, y in every)


def on_grid(grid: LabelGrid, number: float, *, nearest: bool = False) -> int | None:
    """Return the grid point a number is on, or nearest to; None where it is between two and rounded at random."""
    at = (np.clip(number, grid.low, grid.high) - grid.low) / (grid.high - grid.low) * grid.steps
    return int(np.rint(at)) if nearest or abs(at - np.rint(at)) < 1e-9 else None


def _end(study: Study, share: float) -> Floats:
    """Return the values at this share of each domain."""
    low, high = np.asarray(study.bounds.low), np.asarray(study.bounds.high)
    values = low + share * (high - low)
    categories = np.array([isinstance(f.domain, Category) for f in study.features])
    return np.asarray(np.where(categories, np.clip(np.rint(values), 0, None), values))


def _person(features: Floats, mask: Bools, label: float) -> Person:
    return Person(tuple(float(x) for x in features), tuple(bool(m) for m in mask), float(label))
