"""Each round spends the whole of epsilon, as though the other did not exist."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from semildp.audit import AuditStudy, Visit
from semildp.audit.visits import Person, people
from semildp.budgets import Budget
from semildp.client import report_cells, report_labels
from semildp.sources import Source
from tests.broken.clients import EPSILON, PARTITION, STUDY, lay_out

TWICE = replace(STUDY, budget=Budget(2 * EPSILON))


def send(person: Person, n: int, source: Source) -> np.ndarray:
    X, mask, y = person.rows(n)
    return lay_out(report_labels(TWICE, X, y, mask, source), report_cells(TWICE, PARTITION, X, mask, source))


def build() -> Visit:
    return Visit("budget spent twice", EPSILON, people(AuditStudy())[:4], send)
