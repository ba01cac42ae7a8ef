"""The visit of people who are asked these questions: the device's own code answers, one person's through bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp.audit.finding import require
from semildp.audit.search.columns import columns
from semildp.audit.visits.answered import Answered
from semildp.audit.visits.asked import AskedOf
from semildp.audit.visits.listing import ORDER
from semildp.audit.visits.parts import answered
from semildp.audit.visits.person import Person, arrays, people
from semildp.audit.visits.visit import Outputs, Part, Visit
from semildp.client import answer, enrol, ready
from semildp.curator.admission import admit
from semildp.sources import SeededSource, Source
from semildp.study import Study
from semildp.wire.codec import decode, digest, encode
from semildp.wire.columns import Answers, Enrolled
from semildp.wire.costs import own_cost
from semildp.wire.messages import Question, Report
from semildp.wire.people import read_reports, write_report


def looks_at(study: Study, asked: AskedOf, hidden: Bools) -> list[Answered]:
    """Return how each answer of people who hide these features is looked at."""
    return [
        answered(ask, study, asked.row, hidden, centre)
        for question, centre in zip(asked.questions, asked.centres, strict=True)
        for ask in question.asks
    ]


def build_visit(study: Study, asked: AskedOf, hidden: Bools, name: str) -> Visit[Person]:
    """Return the visit of people who hide these features and are asked these questions."""
    looks = looks_at(study, asked, hidden)
    starts = np.cumsum([0, *(look.width for look in looks)])
    questions = [_travelled(q, centre) for q, centre in zip(asked.questions, asked.centres, strict=True)]
    admitted: dict[bytes, Answers] = {}

    def report(X: Floats, mask: Bools, y: Floats, source: Source) -> Outputs:
        ready_people = ready(study, X, y, mask, source)
        public, sent = enrol(ready_people), list[Ints]()
        for question, raw in questions:
            answers = answer(study, question, ready_people, source)
            if len(X) == 1:
                answers = _through_bytes(study, question, raw, public, answers, admitted)
            here = looks[len(sent) : len(sent) + len(answers)]
            sent += [look.columns(marks) for look, marks in zip(here, answers, strict=True)]
        return np.asarray(columns(*sent, public.public, public.mask))

    def send(person: Person, n: int, source: Source) -> Outputs:
        X, mask, y = arrays([person])
        return report(np.repeat(X, n, axis=0), np.repeat(mask, n, axis=0), np.repeat(y, n), source)

    def mixed(asked_people: Sequence[Person], n: int, source: Source) -> Outputs:
        X, mask, y = arrays(list(asked_people))
        return report(np.tile(X, (n, 1)), np.tile(mask, (n, 1)), np.tile(y, n), source)

    return Visit(
        name,
        spent(study, asked, hidden),
        people(study, asked.row, hidden),
        send,
        tuple(_moved(part, start) for look, start in zip(looks, starts, strict=False) for part in look.parts),
        tuple(dict.fromkeys(person for look in looks for person in look.people)),
        mixed,
        _listed(looks, starts),
        sum(look.numbers for look in looks),
    )


def spent(study: Study, asked: AskedOf, hidden: Bools) -> float:
    """Return what the person is said to spend on these questions: their exact cost, as the device books it."""
    X, mask, y = arrays([people(study, asked.row, hidden)[0]])
    public = enrol(ready(study, X, y, mask, SeededSource(0)))
    return float(sum(own_cost(question, study, public) for question in asked.questions))


def _travelled(question: Question, centre: float) -> tuple[Question, bytes]:
    """Return a question with the person's centre as a device reads it, and its bytes."""
    raw = encode(msgspec.structs.replace(question, centre=centre))
    return decode(raw, Question), raw


def _through_bytes(
    study: Study, question: Question, raw: bytes, public: Enrolled, answers: Answers, admitted: dict[bytes, Answers]
) -> Answers:
    """Return one person's answers as the curator reads them off the bytes of the report, and admits them.

    `admitted` keeps what was read: the same bytes from a person with the same public data are read but once.
    """
    sent = encode(write_report(digest(raw), answers, 0))
    known = sent + public.public.tobytes() + public.mask.tobytes()
    if known not in admitted:
        read = read_reports([decode(sent, Report)], len(question.asks))
        problem = admit(study, question, public, read)[0]
        require(problem is None, f"The curator refuses an honest report: {problem}.")
        admitted[known] = read
    return admitted[known]


def _moved(part: Part[Person], start: int) -> Part[Person]:
    """Let a part pick its outputs from what the whole visit sends."""
    return Part(part.mechanism, part.value, lambda sent: part.outputs(sent[:, start:]))


def _listed(looks: list[Answered], starts: Ints) -> Callable[[Outputs], tuple[Outputs, Outputs]] | None:
    """Pick the marks of all asks that list several, and the orders in which they were listed."""
    spans = [(int(s), int(s) + look.width) for look, s in zip(looks, starts, strict=False) if look.ordered]
    if not spans:
        return None
    marks = np.concatenate([np.arange(a, b - ORDER) for a, b in spans])
    orders = np.concatenate([np.arange(b - ORDER, b) for _, b in spans])
    return lambda sent: (sent[:, marks], sent[:, orders])
