"""All stored reports in memory, as the state of a curator: for protocols whose learners need people's rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from semildp.backends import Part, nothing
from semildp.backends.base import Done
from semildp.curator.waves import Asked, Collected, State, Wave
from semildp.protocols import StudyProtocol
from semildp.sources import Source, SystemSource, seeded_sources
from semildp.stored.header import Header
from semildp.stored.rows import Rows, Visit
from semildp.wire.columns import Answers, Enrolled, Marks
from semildp.wire.people import stack


def gathered(header: Header, protocol: StudyProtocol, parts: Sequence[Part[Rows]], done: Done = nothing) -> State:
    """Return the state of the curator who had collected these reports."""
    rows = list[Rows]()
    for part in parts:
        rows += part
        done(len(part))
    state = State(header.study, stack([each.enrolled for each in rows]), sources_of(header, protocol))
    for number in range(len(header.waves)):
        state.done.append(_collected(header, number, [each.visits[number] for each in rows]))
    return state


def sources_of(header: Header, protocol: StudyProtocol) -> dict[str, Source]:
    """Return the curator's draws: from the seed, or where it is not known from the system."""
    if header.seed is None:
        return {name: SystemSource() for name in protocol.streams}
    return seeded_sources(protocol.streams, int(header.seed, 16))


def _collected(header: Header, number: int, visits: Sequence[Visit]) -> Collected:
    """Put a wave together as it was collected."""
    stored, question = header.waves[number], np.concatenate([visit.question for visit in visits])
    marks = [Marks.concatenate(list(each)) for each in zip(*(visit.answers for visit in visits), strict=True)]
    centres = np.concatenate([v.centres for v in visits if v.centres is not None] or [np.zeros(0)])
    asked, answers = list[Asked](), list[Answers]()
    for k, each in enumerate(stored.questions):
        people = np.flatnonzero(question == k)
        own = centres[people] if header.own_centres[number] else None
        asked.append(Asked(each, people, own))
        answers.append(tuple(sent.at(people) for sent in marks[: len(each.asks)]))
    return Collected(Wave(stored.stream, tuple(asked), None, stored.facts.told()), tuple(answers))


def unseen(header: Header, totals: Iterable[object]) -> State:
    """Return the state of a curator who has the totals of every wave, and has seen nobody."""
    nobody = np.zeros((0, len(header.study.features)))
    state = State(header.study, Enrolled(nobody, nobody.astype(np.bool_)), {})
    for stored, total in zip(header.waves, totals, strict=True):
        asked = tuple(Asked(question, np.zeros(0, dtype=np.int64)) for question in stored.questions)
        state.done.append(Collected(Wave(stored.stream, asked, None, stored.facts.told()), (), total))
    return state
