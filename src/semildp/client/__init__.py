"""A person's device: the only code that touches raw rows. One row or many, it is the same code."""

from semildp.client.answer import answer
from semildp.client.completing import check_labels, complete_rows
from semildp.client.device import Device
from semildp.client.ledger import Ledger
from semildp.client.questions import QuestionId, Sent
from semildp.client.rows import People, acting_mask, enrol, ready

__all__ = [
    "Device",
    "Ledger",
    "People",
    "QuestionId",
    "Sent",
    "acting_mask",
    "answer",
    "check_labels",
    "complete_rows",
    "enrol",
    "ready",
]
