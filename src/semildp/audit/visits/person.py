"""The people whose visits are audited: they differ in what is private only."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp.domains import LabelGrid
from semildp.study import Category, Classes, Study

MOST_PEOPLE = 1025  # people who together have every private value, at most
_DRAWN = 1 << 16  # rows among which one is looked for in each cell, at most


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
    low, high = label_ends(study)
    private = np.ones_like(hidden) if study.hide_mask else hidden
    ends = [np.where(private, _end(study, share), row) for share in (0.1, 0.9)]
    crossed = np.where(np.arange(len(row)) % 2 == 0, *ends)
    masks = [hidden, ~hidden] if study.hide_mask else [hidden, hidden]
    found = [_person(x, m, y) for (x, m), y in itertools.product(zip(ends, masks, strict=True), (low, high))]
    if private.any():
        found.append(_person(crossed, hidden, low))
    missing = np.where(private, np.nan, row)
    return tuple(dict.fromkeys((*found, _person(missing, hidden, high + (high - low)))))


def label_ends(study: Study) -> tuple[float, float]:
    """Return the lowest and the highest label; of classes, the places of the first and of the last; 0 without one."""
    if study.label is None:
        return 0.0, 0.0
    return (0.0, len(study.label.values) - 1.0) if isinstance(study.label, Classes) else study.label_bounds


def people_with(rows: Floats, labels: Callable[[Floats], Floats], hidden: Bools) -> tuple[Person, ...]:
    """Return people with each of these rows and each of the labels that go with a row.

    Of more than MOST_PEOPLE some are left out: first combinations, then rows and labels, evenly.
    """
    rows = _thinned(rows)
    every = [(row, float(label)) for row in rows for label in _thinned(labels(row))]
    if len(every) > MOST_PEOPLE:
        of_row = [_thinned(labels(row)) for row in rows]
        n = max(len(rows), max(len(found) for found in of_row))
        every = [(rows[i % len(rows)], float((of := of_row[i % len(rows)])[i % len(of)])) for i in range(n)]
    return tuple(_person(row, hidden, label) for row, label in every)


def rows_in_bins(study: Study, row: Floats, hidden: Bools, bins: int) -> Floats:
    """Return rows whose private features are, all at once, in each of so many bins."""
    private = np.ones_like(hidden) if study.hide_mask else hidden
    shares = (np.arange(min(bins, MOST_PEOPLE)) + 0.5) / min(bins, MOST_PEOPLE) if private.any() else np.array([0.5])
    return np.array([np.where(private, _end(study, share), row) for share in shares])


def rows_in_cells(study: Study, row: Floats, hidden: Bools, place: Callable[[Floats], Ints], n_cells: int) -> Floats:
    """Return one row for each cell that private features can lead to: the first found among random ones."""
    private = np.ones_like(hidden) if study.hide_mask else hidden
    n = int(np.clip(64 * n_cells, 64, _DRAWN))
    drawn = np.where(private, _end(study, np.random.default_rng(0).uniform(size=(n, len(row)))), row)
    return drawn[np.sort(np.unique(place(drawn), return_index=True)[1])]


def rounded(grid: LabelGrid, number: float, *, nearest: bool = False) -> int | dict[int, float]:
    """Return the grid point a number is rounded to; of two, at random, both and their probabilities."""
    at = float(np.clip((number - grid.low) / (grid.high - grid.low) * grid.steps, 0, grid.steps))
    below = math.floor(at)
    share = at - below
    if nearest or min(share, 1 - share) < 1e-12:
        return round(at)
    return {below: 1 - share, below + 1: share}


def _thinned(items: Floats) -> Floats:
    """Return at most MOST_PEOPLE items, evenly spaced."""
    if len(items) <= MOST_PEOPLE:
        return items
    return items[np.linspace(0, len(items) - 1, MOST_PEOPLE).astype(np.int64)]


def _end(study: Study, share: float | Floats) -> Floats:
    """Return the values at this share of each domain."""
    low, high = np.asarray(study.bounds.low), np.asarray(study.bounds.high)
    values = low + share * (high - low)
    categories = np.array([isinstance(f.domain, Category) for f in study.features])
    return np.asarray(np.where(categories, np.clip(np.rint(values), 0, np.floor(high)), values))


def _person(features: Floats, mask: Bools, label: float) -> Person:
    return Person(tuple(float(x) for x in features), tuple(bool(m) for m in mask), float(label))
