"""Every device starts from the same seed, so that whoever knows one report's noise knows everybody's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from semildp.audit import Visit
from semildp.sources import SeededSource, Source
from tests.broken.clients import RESIDUALS, honest, semi_private


def build() -> Visit:
    visit = honest(semi_private(), RESIDUALS)

    def send(person: object, n: int, source: Source) -> np.ndarray:
        return visit.send(person, n, SeededSource(0))

    return replace(visit, name="reused seed", send=send, parts=())
