"""The curator of one study, over messages: who enrolled, what is asked of them, what came back, wave after wave.

Everything follows from the study, a seed and the messages in order. So a process that has just started finds the same
questions and the same model by going through the messages again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from semildp._checks import instance_of
from semildp.curator.intake import collected, take_enrolments
from semildp.curator.transcript import Transcript
from semildp.curator.waves import Asked, State, Wave
from semildp.errors import InputError
from semildp.models import Model
from semildp.protocols import next_step, protocol_of
from semildp.sources import seeded_sources
from semildp.study import Study
from semildp.wire.codec import decode, encode
from semildp.wire.messages import Question, Report
from semildp.wire.people import read_reports, stack

_REPORT = msgspec.json.Decoder(Report)


@dataclass(frozen=True)
class Planned:
    """A wave as it is published.

    Parameters
    ----------
    wave
        Its number, from 1.
    questions
        The bytes of its questions, each with the centre that it has where a person has none of their own.
    asked
        Who of those enrolled is asked: position, which of the questions, and the centre of theirs.
    wanted
        How many newcomers' reports are enough; None: one of everybody asked.
    rule
        What newcomers are asked, as JSON, for `arrivals.ask_newcomer`; None: they are not asked in this wave.
    stream
        Name of the stream from which devices draw in a simulation.
    """

    wave: int
    questions: tuple[bytes, ...]
    asked: tuple[tuple[int, int, float], ...]
    wanted: int | None
    rule: bytes | None
    stream: str


class Running:
    """A study in progress. Messages were checked when they came in; see `arrivals`.

    Parameters
    ----------
    study
        The study.
    seed
        Of the curator's own draws: who is asked when, random trees. It protects nobody, and is kept for going through
        the messages again.
    expected
        How many people are expected, where they are asked when they come; None: all enrol before the first wave.
    keep
        Whether reports that are added up are kept as well, to be written to files.
    """

    def __init__(self, study: Study, seed: int, expected: int | None = None, *, keep: bool = False) -> None:
        instance_of("study", study, Study)
        self._protocol = protocol_of(study)
        sources = seeded_sources(self._protocol.streams, seed)
        self._state = State(study, take_enrolments(study, [])[0], sources, expected=expected, keep=keep)
        self._wave: Wave | None = None

    @property
    def state(self) -> State:
        """What the curator knows."""
        return self._state

    def enrol(self, messages: Sequence[bytes]) -> None:
        """Enrol further people, whose positions follow those of the people before."""
        new, refused = take_enrolments(self._state.study, messages)
        if refused:
            raise InputError(f"Enrolments must be checked when they come in. Refused now: {refused[0].problem}.")
        self._state.enrolled = stack([self._state.enrolled, new])

    def plan(self) -> Planned | Model:
        """Plan the next wave, or return the model with the account of who spent what."""
        step = next_step(self._protocol, self._state)
        if not isinstance(step, Wave):
            return step.replace(Transcript.of(self._state).spent)
        self._wave = step
        groups = step.newcomers.choices if step.newcomers is not None else step.asked
        return Planned(
            len(self._state.done) + 1,
            tuple(encode(group.question) for group in groups),
            tuple(each for k, asked in enumerate(step.asked) for each in _each(k, asked)),
            step.wanted,
            None if step.newcomers is None else encode(step.newcomers),
            step.stream,
        )

    def collect(self, questions: Sequence[bytes], rows: Sequence[tuple[int, int, float, bytes]]) -> None:
        """End the wave with what came back of it.

        Parameters
        ----------
        questions
            The bytes of the wave's questions, as they were published.
        rows
            Of everybody who reported, by position: the position, which of the questions, its centre, the report.
        """
        if self._wave is None:
            raise InputError("A wave must be planned before it is collected. Call `plan` first.")
        kept, answers = [], []
        for k, raw in enumerate(questions):
            question, mine = decode(raw, Question), [row for row in rows if row[1] == k]
            if self._wave.newcomers is not None and not mine:
                continue  # a question that nobody drew
            people = np.array([row[0] for row in mine], dtype=np.int64)
            centres = np.array([row[2] for row in mine], dtype=np.float64)
            own = None if bool((centres == question.centre).all()) else centres
            kept.append(Asked(question, people, own))
            answers.append(read_reports([_REPORT.decode(row[3]) for row in mine], len(question.asks)))
        self._state.done.append(collected(self._state, self._wave, kept, answers))
        self._wave = None


def _each(question: int, asked: Asked) -> list[tuple[int, int, float]]:
    centres = np.full(len(asked.people), asked.question.centre) if asked.centres is None else asked.centres
    return [(p, question, c) for p, c in zip(asked.people.tolist(), centres.tolist(), strict=True)]
