"""Waves of questions, what has come back of them, and scans over it: all a protocol sees of people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp.backends import chunks, fold
from semildp.sources import Source
from semildp.study import Study
from semildp.wire.columns import Answers, Enrolled
from semildp.wire.messages import Question

if TYPE_CHECKING:
    from semildp.curator.newcomers import Rule

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Asked:
    """A question and the people who get it.

    Parameters
    ----------
    question
        What is asked.
    people
        Positions of the people among those enrolled.
    centres
        Per person, the `centre` of their own question; None: the question's.
    """

    question: Question
    people: Ints
    centres: Floats | None = None

    def only(self, chosen: Bools) -> Asked:
        """Return some of the people, by their place in `people`."""
        return Asked(self.question, self.people[chosen], None if self.centres is None else self.centres[chosen])


@dataclass(frozen=True, eq=False)
class Batch:
    """Some people's reports, with what these people have made public.

    Parameters
    ----------
    asked, people, centres
        The question, positions of some of those who were asked it, and their centres.
    enrolled, answers
        What these people have made public, and what they answered.
    earlier
        Returns what the same people answered in an earlier wave (0 is the first), in which one question was asked.
    """

    asked: Asked
    people: Ints
    enrolled: Enrolled
    answers: Answers
    centres: Floats | None
    earlier: Callable[[int], Answers]


@dataclass(frozen=True, eq=False)
class Wave:
    """What is asked next, of whom.

    Parameters
    ----------
    stream
        Name of the stream from which devices draw in a simulation.
    asked
        Questions and people; nobody is in two of them.
    tally
        Turns a batch of reports into totals that have `+`: a small object that can be pickled. If given, reports are
        added up as they arrive, and kept only if `State.keep` says so; without it they are kept for scans.
    facts
        How it was planned, for the account of what was asked: public.
    newcomers
        The `Rule` by which people are asked who enrol while the wave is open; None: they are not asked in this wave.
    wanted
        How many newcomers' reports are enough; None: those of everybody in `asked`.
    small
        Whether answers that are kept may be held in the smallest whole numbers that hold them.
    """

    stream: str
    asked: tuple[Asked, ...]
    tally: Callable[[Batch], Any] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    newcomers: Rule | None = None
    wanted: int | None = None
    small: bool = False


@dataclass(frozen=True, eq=False)
class Collected:
    """What came back of a wave.

    Parameters
    ----------
    wave
        What was asked, of the people whose reports were accepted.
    answers, totals
        The answers to each question, the totals of all, or both.
    refused
        Questions and the people whose reports to them were refused: they have answered, and spent, for nothing.
    """

    wave: Wave
    answers: tuple[Answers, ...] = ()
    totals: Any = None
    refused: tuple[Asked, ...] = ()

    @property
    def asked(self) -> tuple[Asked, ...]:
        """Everybody who was asked."""
        return (*self.wave.asked, *self.refused)


@dataclass(eq=False)
class State:
    """What the curator of a study knows.

    Parameters
    ----------
    study
        The study.
    enrolled
        What people have made public.
    sources
        The curator's own randomness, by name: who is asked when, random trees. It protects nobody.
    done
        The waves so far.
    expected
        How many people are expected in all, where they come one after the other and are asked when they come; None:
        everybody is enrolled before the first wave.
    keep
        Whether reports that are added up as they arrive are kept as well, to be written to files.
    """

    study: Study
    enrolled: Enrolled
    sources: Mapping[str, Source]
    done: list[Collected] = field(default_factory=list)
    expected: int | None = None
    keep: bool = False

    def batch(self, asked: Asked, chosen: slice, answers: Answers) -> Batch:
        """Put the answers of some of the people together with what these have made public."""
        people = asked.people[chosen]
        centres = None if asked.centres is None else asked.centres[chosen]
        return Batch(asked, people, self.enrolled[people], answers, centres, partial(self._answered, people))

    def _answered(self, people: Ints, wave: int) -> Answers:
        """Return what these people answered in a wave that asked one question, of people in rising order."""
        done = self.done[wave]
        (asked,) = done.wave.asked
        everyone = len(asked.people) == len(self.enrolled)
        place = people if everyone else np.searchsorted(asked.people, people)
        return tuple(marks.at(place) for marks in done.answers[0])

    def scan(self, wave: int, tally: Callable[[Batch], T]) -> T:
        """Add up `tally` over all reports of a wave that were kept."""
        return fold(tally, self._batches(self.done[wave]))

    def _batches(self, done: Collected) -> Iterator[Batch]:
        for asked, answers in zip(done.wave.asked, done.answers, strict=True):
            for chunk in chunks(len(asked.people)):
                yield self.batch(asked, chunk, tuple(marks[chunk] for marks in answers))

    def everyone(self) -> Ints:
        """Positions of all who are enrolled."""
        return np.arange(len(self.enrolled))
