"""A noisy indicator and a noisy label for every cell: what is sent, and its law."""

from __future__ import annotations

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp.audit.visits.answered import Answered, check_width
from semildp.audit.visits.person import Person, people, people_with, rounded
from semildp.audit.visits.places import Places
from semildp.audit.visits.visit import Part, Value
from semildp.domains import LabelGrid
from semildp.study import Study
from semildp.wire.columns import Marks
from semildp.wire.forms import read_mechanism
from semildp.wire.messages import AskHistogram

MOST_CELLS = 8  # that are looked at


def histogram_answered(ask: AskHistogram, study: Study, row: Floats, hidden: Bools, centre: float) -> Answered:
    """Return how the answer is looked at: every cell, or of more than MOST_CELLS those of audited people and others."""
    places, steps = Places(ask, study, row, hidden), ask.label.values - 1
    check_width(2 * places.size)
    grid = LabelGrid(ask.low, ask.high, steps)
    mass, label = read_mechanism(ask.mass, ask.epsilon / 4), read_mechanism(ask.label, ask.epsilon / 2)
    own = [cell for person in people(study, row, hidden) for cell in places.cells(person)]
    seen = np.array(list(dict.fromkeys([*own, *range(places.size)]))[:MOST_CELLS])

    def mass_part(column: int) -> Part[Person]:
        def indicator(person: Person) -> Value:
            cells = places.cells(person)
            return None if len(cells) > 1 else steps * int(seen[column] in cells)

        return Part(mass, indicator, lambda sent: sent[:, column])

    def label_part(column: int) -> Part[Person]:
        def point(person: Person) -> Value:
            cells = places.cells(person)
            if len(cells) > 1 or np.isnan(person.label):
                return None  # both vectors would depend on a cell that is drawn
            return rounded(grid, person.label, nearest=True) if seen[column] in cells else steps // 2

        return Part(label, point, lambda sent: sent[:, len(seen) + column] + steps // 2)

    def columns(marks: Marks) -> Ints:
        return marks.value.reshape(len(marks), -1)[:, np.concatenate([seen, places.size + seen])]

    parts = tuple(make(column) for column in range(len(seen)) for make in (mass_part, label_part))
    points = grid.decode(np.arange(steps + 1))
    everyone = people_with(places.rows, lambda _: points, hidden)
    return Answered(2 * len(seen), columns, parts, False, everyone, 2 * places.size)
