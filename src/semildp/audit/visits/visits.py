"""Everything a person sends in a study, by the device's own code, as visits that can be audited."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from semildp._arrays import Bools, Ints
from semildp.audit.search.columns import columns
from semildp.audit.visits.asked import AskedOf, asked_of
from semildp.audit.visits.listing import ORDER
from semildp.audit.visits.parts import Answered, answered
from semildp.audit.visits.person import Person, arrays, everyone, people
from semildp.audit.visits.visit import Outputs, Part, Visit
from semildp.client import answer, enrol, ready
from semildp.sources import Source
from semildp.study import Study
from semildp.wire.codec import decode, digest, encode
from semildp.wire.columns import Answers
from semildp.wire.costs import own_cost
from semildp.wire.messages import Question, Report
from semildp.wire.people import read_reports, write_report


def study_visits(*studies: Study) -> Iterator[Visit[Person]]:
    """Yield every visit that people make who hide every second feature, everything, or just what they must.

    Of visits in which the same mechanisms answer the same kinds of asks, the first is enough.
    """
    seen: set[tuple[str, ...]] = set()
    for study in studies:
        for kind, hidden in _masks(study):
            for asked in asked_of(study, hidden):
                law = _law(study, asked, hidden)
                if law not in seen:
                    seen.add(law)
                    yield visit(study, asked, hidden, kind)


def _masks(study: Study) -> list[tuple[str, Bools]]:
    """Return what people hide whose visits are audited, and how to call it."""
    forced = np.array([feature.private for feature in study.features])
    half = forced | (np.arange(len(forced)) % 2 == 0)
    if study.protocol == "label-tree":
        return [("", np.zeros_like(forced))]
    if study.hide_mask:
        return [("hidden masks", half)]
    return [("", half), ("all hidden", np.ones_like(forced)), ("few hidden", forced)]


def _law(study: Study, asked: AskedOf, hidden: Bools) -> tuple[str, ...]:
    """Return what decides the law of a visit: which asks, answered by which mechanisms, under open or hidden masks."""
    looks = _looks(study, asked, hidden)
    asks = [type(ask).__name__ for question in asked.questions for ask in question.asks]
    mechanisms = [repr(part.mechanism) for look in looks for part in look.parts]
    return (str(study.hide_mask), *asks, *mechanisms)


def _looks(study: Study, asked: AskedOf, hidden: Bools) -> list[Answered]:
    return [
        answered(ask, study, asked.row, hidden, centre)
        for question, centre in zip(asked.questions, asked.centres, strict=True)
        for ask in question.asks
    ]


def visit(study: Study, asked: AskedOf, hidden: Bools, kind: str = "") -> Visit[Person]:
    """Return the visit of people who hide these features and are asked these questions."""
    looks = _looks(study, asked, hidden)
    starts = np.cumsum([0, *(look.width for look in looks)])
    claimed = _claim(study, asked, hidden)

    def report(X: np.ndarray, mask: Bools, y: np.ndarray, source: Source) -> Outputs:
        ready_people = ready(study, X, y, mask, source)
        public = enrol(ready_people)
        sent: list[Ints] = []
        for question, centre in zip(asked.questions, asked.centres, strict=True):
            answers = answer(study, question, ready_people, source, np.full(len(X), centre))
            sent += [
                look.columns(m) for look, m in zip(looks[len(sent) :], _as_travelled(question, answers), strict=False)
            ]
        return columns(*sent, public.public, public.mask)

    def send(person: Person, n: int, source: Source) -> Outputs:
        X, mask, y = arrays([person])
        return report(np.repeat(X, n, axis=0), np.repeat(mask, n, axis=0), np.repeat(y, n), source)

    def mixed(asked_people: Sequence[Person], source: Source) -> Outputs:
        return report(*arrays(list(asked_people)), source)

    finest = max(looks, key=lambda look: look.grid.steps)
    widest = max(look.bins for look in looks)
    return Visit(
        _name(study, asked, kind),
        claimed,
        people(study, asked.row, hidden),
        send,
        tuple(_moved(part, start) for look, start in zip(looks, starts, strict=False) for part in look.parts),
        everyone(study, asked.row, hidden, finest.grid, widest),
        mixed,
        _listed(looks, starts),
    )


def _as_travelled(question: Question, answers: Answers) -> Answers:
    """Return answers as the curator reads them: one person's through the bytes of the report, many as they are."""
    if len(answers[0]) != 1:
        return answers
    report = decode(encode(write_report(digest(encode(question)), answers, 0)), Report)
    return read_reports([report], len(question.asks))


def _claim(study: Study, asked: AskedOf, hidden: Bools) -> float:
    """Return what the person is said to spend on these questions: their exact cost, as the device books it."""
    person = people(study, asked.row, hidden)[0]
    X, mask, y = arrays([person])
    public = enrol(ready(study, X, y, mask, _NoWords()))
    return float(sum(own_cost(question, study, public) for question in asked.questions))


class _NoWords:
    """Words that are all 0, for people of whom nothing is missing."""

    def words(self, *shape: int) -> np.ndarray:
        """Return zeros."""
        return np.zeros(shape, dtype=np.uint64)


def _moved(part: Part[Person], start: int) -> Part[Person]:
    """Let a part pick its outputs from what the whole visit sends."""
    return Part(part.mechanism, part.value, lambda sent: part.outputs(sent[:, start:]))


def _listed(looks: list[Answered], starts: Ints):  # type: ignore[no-untyped-def]
    """Pick the marks of the first ask that lists several, and the order in which they were listed."""
    for look, start in zip(looks, starts, strict=False):
        if look.ordered:
            end = start + look.width
            return lambda sent, a=start, b=end: (sent[:, a : b - ORDER], sent[:, b - ORDER : b])
    return None


def _name(study: Study, asked: AskedOf, kind: str) -> str:
    waves = "+".join(str(question.wave) for question in asked.questions)
    feature = ""
    ask = asked.questions[-1].asks[-1]
    if hasattr(ask, "partition") and len(ask.partition.features) == 1 and ask.partition.tree.feature == (-1,):
        feature = f", {study.names[ask.partition.features[0]]}"
    settings = ", ".join(str(v) for v in study.settings.values() if isinstance(v, str))
    extra = "".join(f", {word}" for word in (settings, kind) if word)
    return f"{study.protocol}, {study.participation}, wave {waves}{feature}{extra}"
