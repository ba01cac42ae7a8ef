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
Places = list[int]  # among those received
Forms = dict[tuple[bytes, float], Places]  # by question and centre
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
    found: list[str | None] = [None] * len(received)
    forms: dict[tuple[bytes, float], list[int]] = {}
    for place, (question, centre, _, _) in enumerate(received):
        forms.setdefault((question, centre), []).append(place)
    for question, (places, sent) in _read(received, forms, found).items():
        asked, people = _question(question), _nothing_public(study, len(places))
        if needs_public(question):
            enrolments = b",".join(received[place][2] for place in places)  # each was read when it came
            people = read_enrolments(study, _ENROLMENTS.decode(b"[" + enrolments + b"]"))
        problems = admit(study, asked, people, answer_columns(sent, len(asked.asks)))
        for k in np.flatnonzero(problems):
            found[places[k]] = problems[k]
    return found


def _read(
    received: Sequence[Received], forms: Forms, found: list[str | None]
) -> dict[bytes, tuple[Places, list[Sent]]]:
    """Return, per question, the places of reports and their answers; note in `found` what is wrong with the others.

    Reports that are written as `encode` writes are read at once.
    """
    parts = list[bytes]()
    for (question, centre), places in forms.items():
        head, tail = around_answers(_name(question, centre))
        start, end = len(head), -len(tail)
        raws = [received[place][3] for place in places]
        parts += [raw[start:end] for raw in raws if raw.startswith(head) and raw.endswith(tail)]
    read = read_answers(parts) if len(parts) == len(received) else None
    groups: dict[bytes, tuple[Places, list[Sent]]] = {}
    at = 0
    for (question, _), places in forms.items():
        own, at = None if read is None else read[at : at + len(places)], at + len(places)
        if own is None or set(map(len, own)) != {len(_question(question).asks)}:
            places, own = _each_strictly(received, places, found)
        if places:
            group = groups.setdefault(question, ([], []))
            group[0].extend(places)
            group[1].extend(own)
    return groups


def _each_strictly(received: Sequence[Received], places: Places, found: list[str | None]) -> tuple[Places, list[Sent]]:
    """Read some reports one by one; return the places of the good ones, and their answers."""
    good, answers = Places(), list[Sent]()
    for place in places:
        question, centre, _, raw = received[place]
        try:
            report = decode(raw, Report)
            check_report(_question(question), _name(question, centre), report)
        except WireError as problem:
            found[place] = problem.problem
            continue
        good.append(place)
        answers.append(report.answers)
    return good, answers


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


def _enrolled(study: Study, raw: bytes) -> Enrolled:
    return read_enrolment(study, decode(raw, Enrolment))
