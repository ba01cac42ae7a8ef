"""The cells a person could be in are judged from a private feature too: the report never leaves them."""

from __future__ import annotations

import numpy as np

from semildp.audit import AuditStudy, Visit
from semildp.audit.visits import Person, people
from semildp.client import report_cells, report_labels
from semildp.sources import Source
from tests.broken.clients import EPSILON, PARTITION, STUDY, lay_out


def send(person: Person, n: int, source: Source) -> np.ndarray:
    X, mask, y = person.rows(n)
    as_if_public = mask & np.array([False, True, True])
    return lay_out(report_labels(STUDY, X, y, mask, source), report_cells(STUDY, PARTITION, X, as_if_public, source))


def build() -> Visit:
    return Visit("private candidates", EPSILON, people(AuditStudy())[:4], send)
