"""What is sent in answer to an ask, as columns in the form in which its mechanism states its outputs, and its law."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp.audit.visits.listing import ORDER, listing
from semildp.audit.visits.person import Person, on_grid
from semildp.audit.visits.visit import Part
from semildp.domains import LabelGrid, bin_of
from semildp.mechanisms import PairCode
from semildp.partition import Partition
from semildp.study import Study
from semildp.wire.columns import Marks
from semildp.wire.forms import read_mechanism, read_pair_code, read_partition
from semildp.wire.messages import AskBins, AskCell, AskHistogram, AskLabel, AskPair


@dataclass(frozen=True, eq=False)
class Answered:
    """One ask's share of what a person sends.

    Parameters
    ----------
    width
        How many columns it takes.
    columns
        Lays the marks of people with the audited public data out in these columns.
    parts
        The mechanisms that are said to have drawn it; they pick their outputs from these columns alone.
    ordered
        Whether the last ORDER columns say in which order marks were listed.
    grid, bins
        The label grid, and how many bins or cells there are, whose every point an audit should see.
    """

    width: int
    columns: Callable[[Marks], Ints]
    parts: tuple[Part[Person], ...]
    ordered: bool
    grid: LabelGrid
    bins: int


def answered(ask: Any, study: Study, row: Floats, hidden: Bools, centre: float) -> Answered:
    """Return how the answer to an ask is looked at, for people with this public data."""
    return _KINDS[type(ask)](ask, study, row, hidden, centre)


def _label(ask: AskLabel, study: Study, row: Floats, hidden: Bools, centre: float) -> Answered:
    mechanism = read_mechanism(ask.mechanism, ask.epsilon)
    grid = LabelGrid(ask.low, ask.high, mechanism.n_values - 1)

    def point(person: Person) -> int | None:
        if np.isnan(person.label):
            return None
        return on_grid(grid, float(np.clip(person.label, *study.label_bounds)), nearest=ask.rounding == "nearest")

    part = Part(mechanism, point, lambda sent: sent[:, 0])
    return Answered(1, lambda marks: marks.value[:, None], (part,), False, grid, 1)


def _cell(ask: AskCell, study: Study, row: Floats, hidden: Bools, centre: float) -> Answered:
    partition, place = _places(ask, study, row, hidden)
    size = int((place >= 0).sum())
    message = ask.mechanisms[str(size)]
    mechanism = read_mechanism(message, ask.epsilon)

    def position(person: Person) -> int | None:
        return _position(partition, place, person)

    low, high = study.label_bounds
    anything = LabelGrid(low, high, 2)
    if message.kind == "generalised":
        part = Part(mechanism, position, lambda sent: sent[:, 0])
        return Answered(1, lambda marks: place[marks.value][:, None], (part,), False, anything, size)

    def columns(marks: Marks) -> Ints:
        bits = np.zeros((len(marks), size), dtype=np.int64)
        bits[marks.person, place[marks.value]] = 1
        return np.concatenate([bits, listing(marks.person, marks.value, len(marks))], axis=1)

    part = Part(mechanism, position, lambda sent: sent[:, :size])
    return Answered(size + ORDER, columns, (part,), True, anything, size)


def _pair(ask: AskPair, study: Study, row: Floats, hidden: Bools, centre: float) -> Answered:
    partition, place = _places(ask, study, row, hidden)
    size = int((place >= 0).sum())
    code = read_pair_code(ask.mechanisms[str(size)], ask.epsilon, size)
    levels = LabelGrid(-ask.reach, ask.reach, code.levels - 1)

    def value(person: Person) -> int | None:
        position = _position(partition, place, person)
        if position is None or np.isnan(person.label):
            return None
        leaf = int(partition.cell(np.array([person.features]))[0]) // partition.n_codes
        label = float(np.clip(person.label, *study.label_bounds))
        level = on_grid(levels, label - (centre + ask.centres[leaf]))
        return None if level is None else position * code.levels + level

    def columns(marks: Marks) -> Ints:
        cell, level = np.divmod(marks.value, code.levels)
        outputs = as_outputs(code, marks.person, place[cell] * code.levels + level, len(marks))
        return np.concatenate([outputs, listing(marks.person, marks.value, len(marks))], axis=1)

    width = {"generalised": 1, "subset": size * code.levels, "paired": size}[code.kind]
    one = code.kind == "generalised"
    part = Part(code.mechanism, value, lambda sent: sent[:, 0] if one else sent[:, :width])
    grid = LabelGrid(*study.label_bounds, 2 * (code.levels - 1))
    return Answered(width + ORDER, columns, (part,), True, grid, size)


def as_outputs(code: PairCode, person: Ints, value: Ints, n: int) -> Ints:
    """Return marks of n people in the form in which the mechanism states its outputs, one row each."""
    if code.kind == "generalised":
        return value[:, None]
    if code.kind == "subset":
        rows = np.zeros((n, code.n_candidates * code.levels), dtype=np.int64)
        rows[person, value] = 1
    else:
        rows = np.zeros((n, code.n_candidates), dtype=np.int64)
        rows[person, value // 2] = 1 + value % 2
    return rows


def _bins(ask: AskBins, study: Study, row: Floats, hidden: Bools, centre: float) -> Answered:
    acting = np.ones_like(hidden) if study.hide_mask else hidden
    features, bounds = np.flatnonzero(acting), study.bounds

    def part(column: int, feature: int) -> Part[Person]:
        mechanism = read_mechanism(ask.mechanisms[feature], ask.epsilon)

        def own_bin(person: Person) -> int | None:
            x = bounds.scale(np.array([person.features]))[0, feature]
            return None if np.isnan(x) else int(bin_of(np.array([x]), mechanism.n_values)[0])

        return Part(mechanism, own_bin, lambda sent: sent[:, column])

    parts = tuple(part(column, int(feature)) for column, feature in enumerate(features))
    grid = LabelGrid(*study.label_bounds, 2)
    most = max((ask.mechanisms[f].values for f in features), default=1)
    return Answered(len(features), lambda marks: marks.value.reshape(len(marks), -1), parts, False, grid, most)


def _histogram(ask: AskHistogram, study: Study, row: Floats, hidden: Bools, centre: float) -> Answered:
    partition = read_partition(ask.partition, study.bounds)
    cells, steps = partition.n_cells, ask.label.values - 1
    grid, everywhere = LabelGrid(ask.low, ask.high, steps), np.arange(cells)
    mass, label = read_mechanism(ask.mass, ask.epsilon / 4), read_mechanism(ask.label, ask.epsilon / 2)

    def mass_part(cell: int) -> Part[Person]:
        def indicator(person: Person) -> int | None:
            own = _position(partition, everywhere, person)
            return None if own is None else steps * (own == cell)

        return Part(mass, indicator, lambda sent: sent[:, cell])

    def label_part(cell: int) -> Part[Person]:
        def point(person: Person) -> int | None:
            own = _position(partition, everywhere, person)
            if own is None or np.isnan(person.label):
                return None
            return on_grid(grid, person.label, nearest=True) if own == cell else steps // 2

        return Part(label, point, lambda sent: sent[:, cells + cell] + steps // 2)

    parts = tuple(make(cell) for cell in range(cells) for make in (mass_part, label_part))
    return Answered(2 * cells, lambda marks: marks.value.reshape(len(marks), -1), parts, False, grid, cells)


def _places(ask: AskCell | AskPair, study: Study, row: Floats, hidden: Bools) -> tuple[Partition, Ints]:
    """Return the partition, and of each cell its place among the candidates of who has this public data; -1 if none."""
    partition = read_partition(ask.partition, study.bounds)
    acting = np.ones_like(hidden) if study.hide_mask else hidden
    candidates = partition.candidates(row[None], acting[None]).cells()[1]
    place = np.full(partition.n_cells, -1)
    place[candidates] = np.arange(len(candidates))
    return partition, place


def _position(partition: Partition, place: Ints, person: Person) -> int | None:
    """Return the place of a person's cell; None where a feature is missing, so that the cell is drawn at random."""
    if not np.isfinite(person.features).all():
        return None
    return int(place[partition.cell(np.array([person.features]))[0]])


_KINDS: dict[type, Callable[[Any, Study, Floats, Bools, float], Answered]] = {
    AskLabel: _label,
    AskCell: _cell,
    AskPair: _pair,
    AskBins: _bins,
    AskHistogram: _histogram,
}
