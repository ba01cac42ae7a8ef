"""Simulated people: what each has, and what each hides."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats
from semildp._checks import finite_number, whole_number
from semildp.client import Device, Ledger
from semildp.errors import InputError, refusal
from semildp.sources import SeededSource, Source, SystemSource
from semildp.study import Category, Classes, Number, Study
from semildp.tables import Coder, Table

NOISE = 0.1  # standard deviation of a made-up label around what the features say, as a share of the label's range
SPREAD = 0.8  # how much of the label's range the features explain together

Value = float | str | None


@dataclass(frozen=True)
class Person:
    """One simulated person. What they have goes to their device, and nowhere else.

    Parameters
    ----------
    values, label
        What they have; None and NaN are missing.
    hidden
        Names of the features they keep private.
    source
        Their device's randomness.
    """

    values: list[Value]
    label: Value
    hidden: list[str]
    source: Source

    def device(self, study: Study) -> Device:
        """Return the person's device, with a ledger of its own that allows what the study asks."""
        return Device(study, self.values, self.label, self.hidden, Ledger(study.epsilon), self.source)


def usual_share(study: Study) -> float:
    """Return how likely a person hides a feature by default: 1/2, or 0 where every feature must be public."""
    from semildp.protocols import must_be_public  # late: it brings the learners with it

    return 0.0 if must_be_public(study) else 0.5


def made_up(study: Study, count: int, hide: float, seed: int | None = None) -> Iterator[Person]:
    """Make people up: features uniform in their domains, and a label that depends on them.

    label = low + (high - low) * (1/2 + sum of w_j (u_j - 1/2) + noise), kept within the bounds, where u_j is feature j
    scaled to [0, 1], w_j falls as 1 / (j + 1) with alternating signs, and the sum of |w_j| is `SPREAD`.
    A class is the one at that share of their list.
    """
    falling = 1 / (1 + np.arange(len(study.features)))
    weights = SPREAD * falling / falling.sum() * (-1) ** np.arange(len(study.features))
    hiding = _Hiding(study, hide, seed)
    for number in range(whole_number("--people", count, 1, 10**8)):
        rng = hiding.generator(number)
        values, units = _draw(study, rng)
        unit = 0.5 + float(weights @ (units - 0.5)) + NOISE * rng.standard_normal()
        yield hiding.person(values, _label_at(study, min(max(unit, 0.0), 1.0)), rng, number)


def people_of_table(study: Study, table: Table, label: str, hide: float, seed: int | None = None) -> Iterator[Person]:
    """Return the people of a table; who lacks a value keeps that feature private, for a public one must be there."""
    if study.label is not None and label not in table.header:
        raise InputError(
            f"{table.name} must have a column {label!r} with the labels. Got {table.header[:5]}. Pass --label-column."
        )
    coder, place, number = Coder(study, table), table.header.index(label) if study.label is not None else 0, 0
    hiding = _Hiding(study, hide, seed)
    for block in table.blocks():
        labels = _labels_of(study, coder, label, [row[place] for row in block])  # before `rows`, which counts them
        for row, own in zip(coder.rows(block), labels, strict=True):
            yield hiding.person(_values(study, row), own, hiding.generator(number), number)
            number += 1


def _label_at(study: Study, unit: float) -> Value:
    """Return the label at a share of its range; of classes, the one at that share of their list; None without one."""
    if study.label is None:
        return None
    if isinstance(study.label, Classes):
        return study.classes[min(int(unit * len(study.classes)), len(study.classes) - 1)]
    low, high = study.label_bounds
    return low + (high - low) * unit


def _labels_of(study: Study, coder: Coder, name: str, cells: list[str]) -> list[Value]:
    """Return labels as people give them to their devices; a word that is no class is missing there."""
    if study.label is None:
        return [None] * len(cells)
    if isinstance(study.label, Number):
        return [*coder.column(name, study.label, cells)]
    codes = coder.column(name, Category(study.classes), cells)
    return [None if math.isnan(code) else study.classes[int(code)] for code in codes]


class _Hiding:
    """Who hides what, and each person's randomness: the operating system's, or by a seed and the person's number."""

    def __init__(self, study: Study, share: float, seed: int | None) -> None:
        if not 0 <= finite_number("--hide", share) <= 1:
            raise refusal("--hide", "a share from 0 to 1", share)
        self._study, self._share = study, share
        self._seed = None if seed is None else whole_number("--seed", seed, 0, 2**63 - 1)

    def generator(self, number: int) -> np.random.Generator:
        """Return what a person's values and choices are drawn with."""
        key = None if self._seed is None else np.random.SeedSequence(self._seed, spawn_key=(number, 0))
        return np.random.default_rng(key)

    def person(self, values: list[Value], label: Value, rng: np.random.Generator, number: int) -> Person:
        """Let a person choose what to hide; what is missing is hidden."""
        draws = rng.random(len(values))
        hidden = [
            feature.name
            for feature, value, draw in zip(self._study.features, values, draws, strict=True)
            if value is None or feature.private or draw < self._share
        ]
        if self._seed is None:
            return Person(values, label, hidden, SystemSource())
        return Person(values, label, hidden, SeededSource(np.random.SeedSequence(self._seed, spawn_key=(number, 1))))


def _draw(study: Study, rng: np.random.Generator) -> tuple[list[Value], Floats]:
    """Draw one person's features, and where they lie on [0, 1]."""
    values: list[Value] = []
    units = rng.random(len(study.features))
    for j, feature in enumerate(study.features):
        if isinstance(feature.domain, Category):
            many = len(feature.domain.values)
            code = min(int(units[j] * many), many - 1)
            values.append(feature.domain.values[code])
            units[j] = code / (many - 1)
        else:
            values.append(feature.domain.low + float(units[j]) * (feature.domain.high - feature.domain.low))
    return values, units


def _values(study: Study, row: Floats) -> list[Value]:
    """Return a coded row as a person knows it."""
    values: list[Value] = []
    for feature, x in zip(study.features, row.tolist(), strict=True):
        if math.isnan(x):
            values.append(None)
        else:
            values.append(feature.domain.values[int(x)] if isinstance(feature.domain, Category) else x)
    return values
