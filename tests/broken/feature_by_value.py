"""The feature a person answers about is the one with the larger value; it should be drawn at random."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from semildp.audit import AuditStudy, Visit, columns
from semildp.audit.joint_visits import marks, pair_visit
from semildp.audit.person import BOUNDS, Person
from semildp.client import complete_rows, report_pairs
from semildp.mechanisms import PairCode
from semildp.sources import Source
from semildp.wire import PairQuestion

CODE = PairCode(1.0, 2, 3, "generalised")
QUESTION = PairQuestion(BOUNDS, (0, 2), CODE, 0.5)


def send(person: Person, n: int, source: Source) -> np.ndarray:
    X, mask, y = person.rows(n)
    rows = complete_rows(BOUNDS, X, mask, source, clip=True)
    larger = mask.copy()
    larger[:, 0] = rows[:, 0] >= rows[:, 2]
    larger[:, 2] = rows[:, 0] <= rows[:, 2]
    pairs = report_pairs(QUESTION, rows, np.clip(y, 0.0, 1.0) - 0.5, larger, source)
    return columns(*marks(CODE, pairs.person, pairs.value, n), pairs.feature)


def build() -> Visit:
    return replace(pair_visit(AuditStudy(), "split", "generalised"), send=send, mixed=None, everyone=())
