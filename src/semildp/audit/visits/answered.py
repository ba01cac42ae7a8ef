"""One ask's share of what a person sends, as an audit looks at it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from semildp._arrays import Ints
from semildp.audit.visits.person import Person
from semildp.audit.visits.visit import Part
from semildp.errors import InputError
from semildp.wire.columns import Marks

WIDEST = 2048  # numbers in a report that is audited


@dataclass(frozen=True, eq=False)
class Answered:
    """One ask's share of what a person sends.

    Parameters
    ----------
    width
        How many columns it takes.
    columns
        Lays the marks of people with the audited public data out in these columns.
    parts
        The mechanisms that are said to have drawn it; they pick their outputs from these columns alone.
    ordered
        Whether the last ORDER columns say in which order marks were listed.
    people
        People who together have every private value that the ask can see; of very many, some.
    numbers
        How many numbers each person sends, at most.
    """

    width: int
    columns: Callable[[Marks], Ints]
    parts: tuple[Part[Person], ...]
    ordered: bool
    people: tuple[Person, ...]
    numbers: int


def check_width(width: int) -> None:
    """Refuse to audit reports that would take too long to go through."""
    if width > WIDEST:
        raise InputError(
            f"A report must have at most {WIDEST} numbers to be audited. Got {width}. "
            "Audit the study with fewer cells; mechanisms are audited with 1,025 values of their own."
        )
