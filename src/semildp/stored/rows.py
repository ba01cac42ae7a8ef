"""People with all that they answered, wave after wave: what a batch of a file of stored reports holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semildp._arrays import Bools, Floats, Ints
from semildp.curator.waves import Asked, Batch
from semildp.errors import InputError
from semildp.stored.header import Header
from semildp.wire.columns import Answers, Enrolled
from semildp.wire.messages import Question


@dataclass(frozen=True, eq=False)
class Visit:
    """What people answered in one wave.

    Parameters
    ----------
    question
        Which of the wave's questions each person answered; -1: none. Where all answered the same, it is held once.
    centres
        Centres of people's own; None: nobody has one.
    answers
        What they sent to each ask; those who were not asked it sent no number.
    """

    question: Ints
    centres: Floats | None
    answers: Answers

    @property
    def same(self) -> int | None:
        """The question that everybody answered, if it is held once."""
        return int(self.question[0]) if held_once(self.question) else None


@dataclass(frozen=True, eq=False)
class Rows:
    """Some people, what they have made public, and their visits: one per wave of the header.

    `name` is what a refusal calls the file.
    """

    header: Header
    enrolled: Enrolled
    visits: tuple[Visit, ...]
    name: str

    def __len__(self) -> int:
        return len(self.enrolled)

    def batches(self, wave: int) -> Iterator[Batch]:
        """Yield the reports to each question of a wave; one empty batch if there are none."""
        visit, questions = self.visits[wave], self.header.waves[wave].questions
        if visit.same is not None:
            yield self._batch(wave, questions[visit.same], None)
            return
        answered = np.bincount(visit.question + 1, minlength=len(questions) + 1)[1:]
        for number in np.flatnonzero(answered).tolist() or [0]:
            yield self._batch(wave, questions[number], visit.question == number)

    def _batch(self, wave: int, question: Question, chosen: Bools | None) -> Batch:
        """Return the reports of some of the people; None: of all."""
        visit, some = self.visits[wave], slice(None) if chosen is None else chosen
        people = np.arange(len(self)) if chosen is None else np.flatnonzero(chosen)
        centres = None if visit.centres is None else visit.centres[some]
        enrolled = self.enrolled if chosen is None else self.enrolled[people]
        answers, earlier = _of(visit.answers[: len(question.asks)], chosen), partial(self._answered, chosen)
        return Batch(Asked(question, people, centres), people, enrolled, answers, centres, earlier)

    def _answered(self, chosen: Bools | None, wave: int) -> Answers:
        """Return what some of the people answered in another wave, in which all were asked the first question."""
        visit = self.visits[wave]
        if visit.same != 0 and (visit.question[slice(None) if chosen is None else chosen] != 0).any():
            raise InputError(
                f"{self.name} must hold answers of wave {wave + 1} of everybody who answered later. Got people without."
            )
        return _of(visit.answers, chosen)


def held_once(array: NDArray[Any]) -> bool:
    """Whether all entries, or rows, are one that is held once."""
    return len(array) > 0 and array.strides[0] == 0


@dataclass(frozen=True, eq=False)
class WaveTally:
    """Adds up one wave's reports; it comes with how many there were."""

    wave: int
    tally: Callable[[Batch], Any]

    def __call__(self, rows: Rows) -> Summed:
        """Return the totals of some people's reports."""
        total: Summed | None = None
        for batch in rows.batches(self.wave):
            one = Summed(len(batch.people), self.tally(batch))
            total = one if total is None else total + one
        assert total is not None
        return total


@dataclass(frozen=True, eq=False)
class Summed:
    """How many reports were added up, and their totals."""

    n_reports: int
    totals: Any

    def __add__(self, other: Summed) -> Summed:
        return Summed(self.n_reports + other.n_reports, self.totals + other.totals)


def _of(answers: Answers, chosen: Bools | None) -> Answers:
    return answers if chosen is None else tuple(marks.only(chosen) for marks in answers)
