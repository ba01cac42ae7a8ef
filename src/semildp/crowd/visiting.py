"""Let many people take part at once, until nothing more is asked of anybody."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from semildp.crowd.people import Person
from semildp.remote import RemoteError, Server, Visit
from semildp.remote.visit import Step
from semildp.study import Study
from semildp.wire.problems import WireError

CHUNK = 256  # people who come at a time
LONGEST_WAIT = 1.0  # seconds between two rounds of those who wait: nobody is kept from anything else
NO_SERVER = ("unreachable", "not-semildp", "moved")  # problems that everybody would meet


@dataclass
class Outcome:
    """What became of the people.

    Parameters
    ----------
    people, enrolled, reports
        How many came, how many were enrolled, how many reports of theirs were taken.
    late, closed, waiting
        How many reports came after their wave; how many people were never asked, the study being closed; how many are
        still to be asked.
    refused
        How many were refused, by the name of the problem; where their own device refused, "device: " and the name.
    seconds
        How long all of it took.
    """

    people: int = 0
    enrolled: int = 0
    reports: int = 0
    late: int = 0
    closed: int = 0
    waiting: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


@dataclass
class _Guest:
    """A person on the way."""

    visit: Visit
    enrolled: bool = False
    answered: bool = False

    def turn(self) -> Step | str:
        """Take the next step; return how it stands, or the name of the problem."""
        step = self._step()
        self.answered |= isinstance(step, Step) and step.state == "answered"
        return step

    def _step(self) -> Step | str:
        try:
            if not self.enrolled:
                self.visit.enrol()
                self.enrolled = True
            return self.visit.step()
        except RemoteError as problem:
            if problem.problem in NO_SERVER:
                raise
            return Step("closed") if problem.problem == "study-closed" else problem.problem
        except WireError as problem:
            return f"device: {problem.problem}"


class Crowd:
    """People who take part at the same time.

    Parameters
    ----------
    server, study
        Where they go, and its study.
    workers
        How many are served at the same time.
    patience
        For how many seconds no report may come before those who wait leave.
    progress
        Is told, each time, how many more people are through.
    sleep, clock
        Time, for tests.
    """

    def __init__(
        self,
        server: Server,
        study: Study,
        *,
        workers: int = 8,
        patience: float = 60.0,
        progress: Callable[[int], object] = lambda many: None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._server, self._study, self._workers, self._patience = server, study, workers, patience
        self._progress, self._sleep, self._clock = progress, sleep, clock
        self._comes_back = server.collection().visits == "enrol-first"
        self.outcome = Outcome()

    def visit(self, people: Iterable[tuple[Person, str | None]]) -> Outcome:
        """Let people take part, each with an invitation or None, and return what became of them."""
        began, pool = self._clock(), ThreadPoolExecutor(self._workers)
        try:
            self._visit(pool, iter(people))
        finally:
            pool.shutdown(cancel_futures=True)
            self.outcome.seconds = self._clock() - began
        return self.outcome

    def _visit(self, pool: ThreadPoolExecutor, people: Iterable[tuple[Person, str | None]]) -> None:
        waiting: list[_Guest] = []
        while chunk := list(itertools.islice(people, CHUNK)):
            guests = [_Guest(self._server.visit(person.device(self._study), token)) for person, token in chunk]
            self.outcome.people += len(guests)
            waiting += self._turns(pool, guests)[0]
            self.outcome.waiting = len(waiting)
        last, wait = self._clock(), 0.0
        while waiting and self._clock() - last < self._patience:
            self._sleep(wait)
            before = self.outcome.reports
            waiting, wait = self._turns(pool, waiting)
            self.outcome.waiting = len(waiting)
            if self.outcome.reports > before:
                last, wait = self._clock(), 0.0

    def _turns(self, pool: ThreadPoolExecutor, guests: list[_Guest]) -> tuple[list[_Guest], float]:
        """Let everyone take a step; return who comes again, and after how many seconds."""
        again, waits, told = list[_Guest](), [0.0], self.outcome
        before = sum(guest.enrolled for guest in guests)
        for guest, step in zip(guests, pool.map(_Guest.turn, guests), strict=True):
            if isinstance(step, str):
                told.refused[step] += 1
            else:
                told.reports += step.state == "answered"
                told.late += step.state == "late"
                told.closed += step.state == "closed" and not guest.answered
                if step.state == "waiting" or (step.state == "answered" and self._comes_back):
                    again.append(guest)
                    waits.append(min(step.wait, LONGEST_WAIT))
        told.enrolled += sum(guest.enrolled for guest in guests) - before
        self._progress(len(guests) - len(again))
        return again, max(waits)
