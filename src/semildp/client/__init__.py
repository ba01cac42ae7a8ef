"""A person's device: the only code that touches raw rows. One row or many, it is the same code."""

from semildp.client.answer import answer, check_question
from semildp.client.ledger import Ledger
from semildp.client.questions import QuestionId, Sent
from semildp.client.rows import People, acting_mask, check_labels, complete_rows, enrol, ready

__all__ = [
    "Ledger",
    "People",
    "QuestionId",
    "Sent",
    "acting_mask",
    "answer",
    "check_labels",
    "check_question",
    "complete_rows",
    "enrol",
    "ready",
]
