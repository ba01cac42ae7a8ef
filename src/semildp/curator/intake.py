"""Between columns and bytes, on the curator's side: questions out, enrolments and reports in, each judged alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from semildp._arrays import Bools
from semildp.backends import fold
from semildp.curator.admission import admit
from semildp.curator.waves import Asked, Collected, State, Wave
from semildp.study import Study
from semildp.wire.codec import decode, digest, encode
from semildp.wire.columns import Answers, Enrolled
from semildp.wire.messages import Enrolment, Question, Report
from semildp.wire.people import read_enrolment, read_reports, stack
from semildp.wire.problems import WireError


@dataclass(frozen=True)
class Refused:
    """One message that was refused: whose (position among those enrolled, or in the batch), and the problem's name."""

    person: int
    problem: str


def question_bytes(asked: Asked, place: int) -> bytes:
    """Return the question of one of the people asked, with the centre that is theirs."""
    centre = asked.question.centre if asked.centres is None else float(asked.centres[place])
    return encode(msgspec.structs.replace(asked.question, centre=centre))


def take_enrolments(study: Study, raw: Sequence[bytes]) -> tuple[Enrolled, list[Refused]]:
    """Read enrolments; those that are refused are left out and listed."""
    good, refused = list[Enrolled](), list[Refused]()
    for place, message in enumerate(raw):
        try:
            good.append(read_enrolment(study, decode(message, Enrolment)))
        except WireError as problem:
            refused.append(Refused(place, problem.problem))
    nobody = Enrolled(np.zeros((0, len(study.features))), np.zeros((0, len(study.features)), dtype=np.bool_))
    return stack([nobody, *good]), refused


def take_reports(state: State, wave: Wave, raw: Sequence[Sequence[bytes]]) -> tuple[Collected, list[Refused]]:
    """Read the reports to each question of a wave, one per person asked; bad ones are left out and listed."""
    kept, lost, answers, refused = list[Asked](), list[Asked](), list[Answers](), list[Refused]()
    for asked, messages in zip(wave.asked, raw, strict=True):
        good, sent = _readable(asked, messages, refused)
        people = asked.people[good]
        problems = admit(state.study, asked.question, state.enrolled[people], sent)
        refused += [Refused(int(p), str(w)) for p, w in zip(people, problems, strict=True) if w is not None]
        fine = np.array([problem is None for problem in problems], dtype=np.bool_)
        good[good] = fine
        kept.append(asked.only(good))
        if not good.all():
            lost.append(asked.only(~good))
        answers.append(tuple(marks.only(fine) for marks in sent))
    return collected(state, wave, kept, answers, tuple(lost)), refused


def collected(
    state: State, wave: Wave, kept: Sequence[Asked], answers: Sequence[Answers], lost: tuple[Asked, ...] = ()
) -> Collected:
    """Put together what came back of a wave: the answers of those who are kept, their totals, or both."""
    wave = replace(wave, asked=tuple(kept))
    if wave.tally is None:
        return Collected(wave, tuple(answers), None, lost)
    batches = (state.batch(asked, slice(None), sent) for asked, sent in zip(kept, answers, strict=True))
    return Collected(wave, tuple(answers) if state.keep else (), fold(wave.tally, batches), lost)


def _readable(asked: Asked, messages: Sequence[bytes], refused: list[Refused]) -> tuple[Bools, Answers]:
    """Return who sent a report to this very question with as many answers as it has asks, and the answers."""
    good, reports = np.zeros(len(asked.people), dtype=np.bool_), list[Report]()
    for place, message in enumerate(messages):
        try:
            report = decode(message, Report)
            check_report(asked.question, digest(question_bytes(asked, place)), report)
        except WireError as problem:
            refused.append(Refused(int(asked.people[place]), problem.problem))
            continue
        good[place] = True
        reports.append(report)
    return good, read_reports(reports, len(asked.question.asks))


def check_report(question: Question, name: str, report: Report) -> None:
    """Refuse a report to another question, or with another number of answers than the question has asks."""
    if report.question != name:
        raise WireError("wrong-question")
    if len(report.answers) != len(question.asks):
        raise WireError("wrong-count", f"{len(question.asks)} answers; got {len(report.answers)}")
