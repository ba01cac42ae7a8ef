"""What people ask of the service, as data: enrol, see their question, report. And what they are told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection

from semildp.service.problems import STATUS
from semildp.service.settings import Collection
from semildp.service.store import StudyRow, WaveRow
from semildp.study import Study


class Enrol(NamedTuple):
    """Somebody enrols, by an invitation or without."""

    invitation: str | None
    person: str
    body: bytes


class Look(NamedTuple):
    """Somebody asks for their question."""

    person: str


class Send(NamedTuple):
    """Somebody reports."""

    person: str
    wave: int
    body: bytes


Job = Enrol | Look | Send


@dataclass(frozen=True)
class Sheet:
    """Many people report to one wave, by columns. Nobody is there twice."""

    wave: int
    people: list[str]
    bodies: list[bytes]


Order = Sequence[Job] | Sheet  # what is asked for in one request, or by a part of it


def size(order: Order) -> int:
    """Return how many answers there will be."""
    return len(order.people if isinstance(order, Sheet) else order)


class Told(NamedTuple):
    """The answer to a job: an HTTP status; a problem's name; of a question its bytes, or the person's state."""

    status: int
    problem: str | None = None
    body: bytes = b""
    state: str = ""


class Rules(NamedTuple):
    """The study and how it is collected."""

    study: Study
    collection: Collection

    @property
    def one_visit(self) -> bool:
        """Whether people are asked when they come."""
        return self.collection.visits == "one-visit"

    @property
    def expected(self) -> int | None:
        """How many people waves are planned for, where they are asked when they come; None: all enrol first."""
        return self.collection.people if self.one_visit else None


Answers = dict[int, Told]  # by the job's place in its group
Write = Callable[[Connection, StudyRow, WaveRow], None]  # what remains to be done in the transaction


def refused(problem: str) -> Told:
    """Tell somebody that their job is refused."""
    return Told(STATUS[problem], problem)
