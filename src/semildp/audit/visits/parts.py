"""What is sent in answer to an ask, as columns in the form in which its mechanism states its outputs, and its law."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp.audit.visits.answered import Answered, check_width
from semildp.audit.visits.histogram import histogram_answered
from semildp.audit.visits.listing import ORDER, listing
from semildp.audit.visits.person import MOST_PEOPLE, Person, label_ends, people_with, rounded, rows_in_bins
from semildp.audit.visits.places import Places
from semildp.audit.visits.visit import Part, Value
from semildp.domains import LabelGrid, bin_of
from semildp.mechanisms import PairResponse
from semildp.study import Study
from semildp.wire.columns import Marks
from semildp.wire.forms import read_class_response, read_mechanism, read_pair_response
from semildp.wire.messages import AskBins, AskCell, AskClass, AskHistogram, AskLabel, AskPair, AskSigned


def answered(ask: Any, study: Study, row: Floats, hidden: Bools, centre: float) -> Answered:
    """Return how the answer to an ask is looked at, for people with this public data."""
    return _KINDS[type(ask)](ask, study, row, hidden, centre)


def _label(ask: AskLabel, study: Study, row: Floats, hidden: Bools, centre: float) -> Answered:
    mechanism = read_mechanism(ask.mechanism, ask.epsilon)
    grid = LabelGrid(ask.low, ask.high, mechanism.n_values - 1)

    def point(person: Person) -> Value:
        if np.isnan(person.label):
            return None
        return rounded(grid, float(np.clip(person.label, *study.label_bounds)), nearest=ask.rounding == "nearest")

    part = Part(mechanism, point, lambda sent: sent[:, 0])
    everyone = people_with(rows_in_bins(study, row, hidden, 1), lambda _: _points(grid), hidden)
    return Answered(1, lambda marks: marks.value[:, None], (part,), False, everyone, 1)


def _cell(ask: AskCell, study: Study, row: Floats, hidden: Bools, centre: float) -> Answered:
    places = Places(ask, study, row, hidden)
    place, size = places.place, places.size
    message = ask.mechanisms[str(size)]
    mechanism = read_mechanism(message, ask.epsilon)
    everyone = people_with(places.rows, lambda _: np.unique(label_ends(study)), hidden)
    if message.kind == "generalised":
        part = Part(mechanism, places.of, lambda sent: sent[:, 0])
        return Answered(1, lambda marks: place[marks.value][:, None], (part,), False, everyone, 1)
    check_width(size)

    def columns(marks: Marks) -> Ints:
        bits = np.zeros((len(marks), size), dtype=np.int64)
        bits[marks.person, place[marks.value]] = 1
        return np.concatenate([bits, listing(marks.person, marks.value, len(marks))], axis=1)

    part = Part(mechanism, places.of, lambda sent: sent[:, :size])
    return Answered(size + ORDER, columns, (part,), True, everyone, size)


def _pair(ask: AskPair, study: Study, row: Floats, hidden: Bools, centre: float) -> Answered:
    places = Places(ask, study, row, hidden)
    place, size = places.place, places.size
    response = read_pair_response(ask.mechanisms[str(size)], ask.epsilon, size)
    levels = LabelGrid(-ask.reach, ask.reach, response.levels - 1)

    def middle(features: Floats) -> float:
        return centre + ask.centres[places.leaf(features)]

    def level_of(person: Person, cell: int) -> dict[int, float]:
        label = float(np.clip(person.label, *study.label_bounds))
        level = rounded(levels, label - (centre + ask.centres[places.leaf_of(cell)]))
        return level if isinstance(level, dict) else {level: 1.0}

    def value(person: Person) -> Value:
        if np.isnan(person.label):
            return None
        found = {
            int(place[cell]) * response.levels + level: share * p
            for cell, share in places.cells(person).items()
            for level, p in level_of(person, cell).items()
        }
        return found if len(found) > 1 else next(iter(found))

    def columns(marks: Marks) -> Ints:
        cell, level = np.divmod(marks.value, response.levels)
        outputs = as_outputs(response, marks.person, place[cell] * response.levels + level, len(marks))
        return np.concatenate([outputs, listing(marks.person, marks.value, len(marks))], axis=1)

    width = {"generalised": 1, "subset": size * response.levels, "paired": size}[response.kind]
    check_width(width)
    one = response.kind == "generalised"
    part = Part(response.mechanism, value, lambda sent: sent[:, 0] if one else sent[:, :width])
    labels = _points(levels)
    everyone = people_with(places.rows, lambda x: np.clip(middle(x) + labels, *study.label_bounds), hidden)
    return Answered(width + ORDER, columns, (part,), True, everyone, width)


def _signed(ask: AskSigned, study: Study, row: Floats, hidden: Bools, centre: float) -> Answered:
    places = Places(ask, study, row, hidden)
    mechanism = read_mechanism(ask.mechanism, ask.epsilon)
    grid = LabelGrid(-ask.reach, ask.reach, mechanism.n_values - 1)

    def value(person: Person) -> Value:
        if np.isnan(person.label):
            return None
        residual = float(np.clip(person.label, *study.label_bounds)) - centre
        found: dict[int, float] = {}
        for cell, share in places.cells(person).items():
            level = rounded(grid, ask.signs[cell] * residual)
            for point, p in (level if isinstance(level, dict) else {level: 1.0}).items():
                found[point] = found.get(point, 0.0) + share * p
        return found if len(found) > 1 else next(iter(found))

    part = Part(mechanism, value, lambda sent: sent[:, 0])
    labels = _points(grid)
    everyone = people_with(places.rows, lambda _: np.clip(centre + labels, *study.label_bounds), hidden)
    return Answered(1, lambda marks: marks.value[:, None], (part,), False, everyone, 1)


def _class(ask: AskClass, study: Study, row: Floats, hidden: Bools, centre: float) -> Answered:
    places, n = Places(ask, study, row, hidden), len(study.classes)
    place, size = places.place, places.size
    response = read_class_response(ask.mechanisms[str(size)], ask.epsilon, size, n)

    def value(person: Person) -> Value:
        own = [int(person.label)] if person.label in range(n) else list(range(n))  # what is no class is drawn
        cells = places.cells(person).items()
        found = {int(place[cell]) * n + c: share / len(own) for cell, share in cells for c in own}
        return found if len(found) > 1 else next(iter(found))

    def columns(marks: Marks) -> Ints:
        cell, level = np.divmod(marks.value, n)
        outputs = as_outputs(response, marks.person, place[cell] * n + level, len(marks))
        return np.concatenate([outputs, listing(marks.person, marks.value, len(marks))], axis=1)

    one = response.kind == "generalised"
    width = 1 if one else size * n
    check_width(width)
    part = Part(response.mechanism, value, lambda sent: sent[:, 0] if one else sent[:, :width])
    everyone = people_with(places.rows, lambda _: np.arange(float(n)), hidden)
    return Answered(width + ORDER, columns, (part,), True, everyone, width)


def _points(grid: LabelGrid) -> Floats:
    """Return the labels on a grid, or of very many some."""
    n = min(grid.steps, MOST_PEOPLE - 1)
    return grid.decode(np.unique(np.linspace(0, grid.steps, n + 1).astype(np.int64)))


def as_outputs(response: PairResponse, person: Ints, value: Ints, n: int) -> Ints:
    """Return marks of n people in the form in which the mechanism states its outputs, one row each."""
    if response.kind == "generalised":
        return value[:, None]
    if response.kind == "subset":
        rows = np.zeros((n, response.n_candidates * response.levels), dtype=np.int64)
        rows[person, value] = 1
    else:
        rows = np.zeros((n, response.n_candidates), dtype=np.int64)
        rows[person, value // 2] = 1 + value % 2
    return rows


def _bins(ask: AskBins, study: Study, row: Floats, hidden: Bools, centre: float) -> Answered:
    acting = np.ones_like(hidden) if study.hide_mask else hidden
    features, bounds = np.flatnonzero(acting), study.bounds

    def part(column: int, feature: int) -> Part[Person]:
        mechanism = read_mechanism(ask.mechanisms[feature], ask.epsilon)

        def own_bin(person: Person) -> Value:
            x = bounds.scale(np.array([person.features]))[0, feature]
            n = mechanism.n_values
            return dict.fromkeys(range(n), 1 / n) if np.isnan(x) else int(bin_of(np.array([x]), n)[0])

        return Part(mechanism, own_bin, lambda sent: sent[:, column])

    parts = tuple(part(column, int(feature)) for column, feature in enumerate(features))
    most = max((ask.mechanisms[f].values for f in features), default=1)
    everyone = people_with(rows_in_bins(study, row, hidden, most), lambda _: np.array(label_ends(study)), hidden)
    n = len(features)
    return Answered(n, lambda marks: marks.value.reshape(len(marks), -1), parts, False, everyone, n)


_KINDS: dict[type, Callable[[Any, Study, Floats, Bools, float], Answered]] = {
    AskLabel: _label,
    AskCell: _cell,
    AskPair: _pair,
    AskSigned: _signed,
    AskClass: _class,
    AskBins: _bins,
    AskHistogram: histogram_answered,
}
