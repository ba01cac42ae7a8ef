"""People with all that they answered, wave after wave: what a batch of a file of stored reports holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp.curator.waves import Asked, Batch
from semildp.errors import InputError
from semildp.stored.header import Header
from semildp.wire.columns import Answers, Enrolled


@dataclass(frozen=True, eq=False)
class Visit:
    """What people answered in one wave.

    Parameters
    ----------
    question
        Which of the wave's questions each person answered; -1: none.
    centres
        Centres of people's own; None: nobody has one.
    answers
        What they sent to each ask; those who were not asked it sent no number.
    """

    question: Ints
    centres: Floats | None
    answers: Answers


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
        visit, found = self.visits[wave], False
        for number, question in enumerate(self.header.waves[wave].questions):
            chosen = visit.question == number
            if chosen.any():
                found = True
                yield self._batch(wave, Asked(question, np.flatnonzero(chosen)), chosen)
        if not found:
            question = self.header.waves[wave].questions[0]
            yield self._batch(wave, Asked(question, np.zeros(0, dtype=np.int64)), np.zeros(len(self), dtype=np.bool_))

    def _batch(self, wave: int, asked: Asked, chosen: Bools) -> Batch:
        visit, n_asks = self.visits[wave], len(asked.question.asks)
        centres = None if visit.centres is None else visit.centres[chosen]
        people, earlier = asked.people, partial(self._answered, chosen)
        enrolled = self.enrolled if len(people) == len(self) else self.enrolled[people]
        answers = _of(visit.answers[:n_asks], chosen)
        return Batch(Asked(asked.question, people, centres), people, enrolled, answers, centres, earlier)

    def _answered(self, chosen: Bools, wave: int) -> Answers:
        """Return what some of the people answered in another wave."""
        visit = self.visits[wave]
        if (visit.question[chosen] != 0).any():
            raise InputError(
                f"{self.name} must hold answers of wave {wave + 1} of everybody who answered later. Got people without."
            )
        return _of(visit.answers, chosen)


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


def _of(answers: Answers, chosen: Bools) -> Answers:
    return answers if chosen.all() else tuple(marks.only(chosen) for marks in answers)
