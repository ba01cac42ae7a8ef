"""Messages of people as they come in, one or many at a time: what is asked of a newcomer, and what is refused."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache

import msgspec
import numpy as np

from semildp.curator.admission import admit
from semildp.curator.intake import check_report
from semildp.curator.newcomers import Rule
from semildp.protocols import asks_newcomers, must_be_public
from semildp.sources import SystemSource
from semildp.study import Study
from semildp.wire.codec import Sent, around_answers, decode, read_answers
from semildp.wire.columns import Enrolled
from semildp.wire.messages import AskLabel, AskSigned, Enrolment, Question, Report
from semildp.wire.people import answer_columns, read_enrolment, read_enrolments
from semildp.wire.problems import WireError

__all__ = ["ask_newcomer", "asks_newcomers", "check_enrolment", "check_reports", "needs_public", "with_centre"]

Received = tuple[bytes, float, bytes, bytes]  # a question, the centre of this person's, their enrolment, their report
_ENROLMENTS = msgspec.json.Decoder(list[Enrolment])


def check_enrolment(study: Study, raw: bytes) -> tuple[bool, ...]:
    """Return which features a person keeps private, or refuse what no honest device sends."""
    enrolled = read_enrolment(study, decode(raw, Enrolment))
    if must_be_public(study) and enrolled.mask.any():
        raise WireError("out-of-domain", "every feature is public in this study; none may be null")
    return tuple(bool(hidden) for hidden in enrolled.mask[0])


def ask_newcomer(study: Study, rule: bytes, enrolment: bytes) -> tuple[int, float]:
    """Draw which question a newcomer is asked; return its place among those published with the rule, and its centre."""
    read, person = _rule(rule), _enrolled(study, enrolment)
    (asked,) = read.ask(person, np.zeros(1, dtype=np.int64), SystemSource())
    place = next(k for k, choice in enumerate(read.choices) if choice.question is asked.question)
    return place, (asked.question.centre if asked.centres is None else float(asked.centres[0])) + 0.0  # never -0.0


def with_centre(question: bytes, centre: float) -> bytes:
    """Return the question's bytes with another centre."""
    head, tail = _around_centre(question)
    return head + msgspec.json.encode(centre) + tail


def check_reports(study: Study, received: Sequence[Received]) -> list[str | None]:
    """Return, per report, the name of what is wrong with it, or None. Reports to one question are checked together.

    An enrolment is looked at only if the question `needs_public`.
    """
    answers, found = _answers(received), list[str | None]([None]) * len(received)
    groups: dict[bytes, dict[int, Sent]] = {}
    for place, (row, sent) in enumerate(zip(received, answers, strict=True)):
        if isinstance(sent, WireError):
            found[place] = sent.problem
        else:
            groups.setdefault(row[0], {})[place] = sent
    for question, places in groups.items():
        asked = _question(question)
        columns = answer_columns(list(places.values()), len(asked.asks))
        people = _nothing_public(study, len(places))
        if needs_public(question):
            enrolments = b",".join(received[place][2] for place in places)  # each was read when it came
            people = read_enrolments(study, _ENROLMENTS.decode(b"[" + enrolments + b"]"))
        for place, name in zip(places, admit(study, asked, people, columns), strict=True):
            found[place] = name
    return found


def _answers(received: Sequence[Received]) -> list[Sent | WireError]:
    """Return the answers in each report, or why it is refused; those written as `encode` writes are read at once."""
    parts: dict[int, bytes] = {}
    for place, (question, centre, _, raw) in enumerate(received):
        head, tail, between = _form(question, centre)
        if raw.startswith(head) and raw.endswith(tail) and raw.count(b"],[") == between:
            parts[place] = raw[len(head) : -len(tail)]
    read = dict(zip(parts, read_answers(list(parts.values())) or (), strict=False))
    return [read[k] if k in read else _strictly(*row) for k, row in enumerate(received)]


def _strictly(question: bytes, centre: float, _: bytes, raw: bytes) -> Sent | WireError:
    """Return the answers in one report, or why it is refused."""
    try:
        report = decode(raw, Report)
        check_report(_question(question), _name(question, centre), report)
    except WireError as problem:
        return problem
    return report.answers


def needs_public(question: bytes) -> bool:
    """Whether what a report may say depends on what is public of the person; of a label or a residual it does not."""
    return any(not isinstance(ask, AskLabel | AskSigned) for ask in _question(question).asks)


def _nothing_public(study: Study, n_people: int) -> Enrolled:
    shape = (n_people, len(study.features))
    return Enrolled(np.full(shape, np.nan), np.ones(shape, dtype=np.bool_))


@lru_cache(maxsize=8)
def _rule(raw: bytes) -> Rule:
    return msgspec.json.decode(raw, type=Rule)


@lru_cache(maxsize=256)
def _question(raw: bytes) -> Question:
    return decode(raw, Question)


@lru_cache(maxsize=256)
def _around_centre(raw: bytes) -> tuple[bytes, bytes]:
    """Return the question's bytes before and after the number that is its centre."""
    mark = b'"centre":'
    start = raw.rindex(mark) + len(mark)
    return raw[:start], raw[raw.index(b",", start) :]


@lru_cache(maxsize=256)
def _hashed(head: bytes) -> hashlib._Hash:
    return hashlib.sha256(head)


@lru_cache(maxsize=256)
def _name(question: bytes, centre: float) -> str:
    """Return the digest of the question with this centre; what comes before the centre is hashed once."""
    head, tail = _around_centre(question)
    whole = _hashed(head).copy()
    whole.update(msgspec.json.encode(centre) + tail)
    return whole.hexdigest()


@lru_cache(maxsize=256)
def _form(question: bytes, centre: float) -> tuple[bytes, bytes, int]:
    """Return what is written around the answers to the question with this centre, and how often `],[` within them."""
    return *around_answers(_name(question, centre)), len(_question(question).asks) - 1


def _enrolled(study: Study, raw: bytes) -> Enrolled:
    return read_enrolment(study, decode(raw, Enrolment))
