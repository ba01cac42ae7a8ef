"""The noisy label is drawn anew for every cell it might be counted in: their mean is less noisy than was paid for."""

from __future__ import annotations

import numpy as np

from semildp.audit import AuditStudy, Visit, columns
from semildp.audit.visits import Person, people
from semildp.client import report_cells, report_labels
from semildp.sources import Source
from tests.broken.clients import EPSILON, PARTITION, STUDY


def send(person: Person, n: int, source: Source) -> np.ndarray:
    X, mask, y = person.rows(n)
    labels = [report_labels(STUDY, X, y, mask, source).labels for _ in range(PARTITION.count(X[:1], mask[:1])[0])]
    return columns(*labels, report_cells(STUDY, PARTITION, X, mask, source).cell)


def build() -> Visit:
    return Visit("redrawn per cell", EPSILON, people(AuditStudy())[:4], send)
