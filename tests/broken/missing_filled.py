"""A missing private feature is filled in with its lower bound; it should be drawn at random."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from semildp.audit import Visit
from semildp.audit.visits.person import Person
from semildp.sources import Source
from tests.broken.clients import honest, paper


def build() -> Visit:
    visit = honest(paper(), 2)

    def send(person: Person, n: int, source: Source) -> np.ndarray:
        filled = tuple(float(np.nan_to_num(x)) for x in person.features)
        return visit.send(replace(person, features=filled), n, source)

    return replace(visit, name="missing filled", send=send, mixed=None, everyone=())
