"""All of epsilon is spent in either round: what is asked is what a study of twice the epsilon asks."""

from __future__ import annotations

from dataclasses import replace

from semildp.audit import Visit
from tests.broken.clients import EPSILON, honest, paper


def build() -> Visit:
    visit = honest(paper(epsilon=2 * EPSILON), 2)
    return replace(visit, name="budget spent twice", epsilon=EPSILON, parts=(), mixed=None, everyone=())
