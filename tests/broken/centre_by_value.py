"""The public number that a label is compared with depends on a private feature, and travels with the question."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from semildp.audit import Visit, columns
from semildp.audit.visits.person import Person
from semildp.audit.visits.sending import looks_at
from semildp.client import answer
from semildp.sources import Source
from tests.broken.clients import HIDDEN, RESIDUALS, asked, honest, on_devices, semi_private

STUDY = semi_private()


def build() -> Visit:
    visit, terms = honest(STUDY, RESIDUALS), asked(STUDY, RESIDUALS)
    look = looks_at(STUDY, terms, HIDDEN)[0]

    def send(person: Person, n: int, source: Source) -> np.ndarray:
        people = on_devices(STUDY, person, n, source)
        centres = 4 * people.rows[:, 0].round(1) - 2  # so far apart that labels lie on one side or the other
        answers = answer(STUDY, terms.questions[0], people, source, centres)
        return columns(look.columns(answers[0]), centres)

    return replace(visit, name="centre by value", send=send, mixed=None, everyone=(), listed=None)
