"""The curator's sums over joint reports of cell and residual, person by person and mark by mark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

UNITS = 2.0**32  # sums are whole numbers of this part of one


@dataclass(frozen=True)
class Worth:
    """What a report counts for, by how many candidates the person has."""

    levels: int
    per_mark: float
    per_person: float
    per_score: float
    per_square: float
    noise: float


@dataclass
class Sums:
    """All that is kept."""

    weight: int = 0
    people: dict[int, int] = field(default_factory=dict)
    scores: dict[int, int] = field(default_factory=dict)
    squares: dict[int, int] = field(default_factory=dict)


def whole(x: float) -> int:
    """Round to the nearest whole number, halves to the even one."""
    return round(x)


def tally(
    n_cells: int,
    candidates: Sequence[Sequence[int]],
    marked: Sequence[Sequence[tuple[int, int]]],
    worth_of: Callable[[int], Worth],
) -> Sums:
    """Go through the people; each has candidate cells and marked some (cell, level). Units are of k = 1."""
    alone, unit = worth_of(1).noise, worth_of(1).per_score
    cells = range(n_cells)
    sums = Sums(0, dict.fromkeys(cells, 0), dict.fromkeys(cells, 0), dict.fromkeys(cells, 0))
    for possible, sent in zip(candidates, marked, strict=True):
        worth = worth_of(len(possible))
        weight = alone / worth.noise
        sums.weight += whole(weight * UNITS)
        for cell in possible:
            sums.people[cell] += whole(worth.per_person / unit * weight * UNITS)
        for cell, level in sent:
            score = 2.0 * level / (worth.levels - 1) - 1.0
            sums.people[cell] += whole(worth.per_mark / unit * weight * UNITS)
            sums.scores[cell] += whole(worth.per_score / unit * weight * UNITS * score)
            sums.squares[cell] += whole(worth.per_square / unit**2 * weight**2 * UNITS * score**2)
    return sums
