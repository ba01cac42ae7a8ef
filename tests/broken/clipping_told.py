"""A label outside the public bounds is refused, where everyone can see it."""

from __future__ import annotations

import numpy as np

from semildp.audit import Visit
from semildp.client import answer, ready
from semildp.errors import InputError
from semildp.sources import Source
from tests.broken.clients import EPSILON, HIDDEN, asked, semi_private

STUDY = semi_private()
ASKED = asked(STUDY)


def send(label: float, n: int, source: Source) -> np.ndarray:
    X, mask = np.tile(ASKED.row, (n, 1)), np.tile(HIDDEN, (n, 1))
    try:
        people = ready(STUDY, X, np.full(n, label), mask, source, clip=False)
    except InputError:
        return np.full(n, "refused", dtype=object)
    return answer(STUDY, ASKED.questions[0], people, source)[0].value.astype(object)


def build() -> Visit:
    return Visit("clipping told", EPSILON, (2.0, 0.0, 1.0), send)
