"""Every device starts from the same seed, so that whoever knows one report's noise knows everybody's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from semildp.audit import Visit
from semildp.audit.joint_visits import pair_visit
from semildp.audit.study import AuditStudy
from semildp.sources import SeededSource, Source


def build() -> Visit:
    honest = pair_visit(AuditStudy(), "split", "generalised")

    def send(person: object, n: int, source: Source) -> np.ndarray:
        return honest.send(person, n, SeededSource(0))

    return replace(honest, name="reused seed", send=send, parts=())
