"""The label report carries all features, private ones included."""

from __future__ import annotations

import numpy as np

from semildp.audit import AuditStudy, Visit
from semildp.audit.visits import Person, people
from semildp.client import report_cells, report_labels
from semildp.sources import Source
from tests.broken.clients import EPSILON, PARTITION, STUDY, lay_out


def send(person: Person, n: int, source: Source) -> np.ndarray:
    X, mask, y = person.rows(n)
    first = report_labels(STUDY, X, y, np.zeros_like(mask), source)
    return lay_out(first, report_cells(STUDY, PARTITION, X, mask, source))


def build() -> Visit:
    return Visit("private features sent", EPSILON, people(AuditStudy())[:4], send)
