"""The curator's sums over reports, one person and one cell after the other, in whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Sums:
    """Sums of one weight (1, or the noisy label) over people, for one cell or several cells together."""

    known: int = 0
    marks: int = 0
    sized_marks: int = 0
    candidates: int = 0

    def add(self, other: Sums) -> None:
        """Add the sums of other cells."""
        self.known += other.known
        self.marks += other.marks
        self.sized_marks += other.sized_marks
        self.candidates += other.candidates


@dataclass
class CellSums:
    """All that is kept of a cell."""

    people: Sums = field(default_factory=Sums)
    labels: Sums = field(default_factory=Sums)
    sized_candidates: int = 0

    def add(self, other: CellSums) -> None:
        """Add the sums of other cells."""
        self.people.add(other.people)
        self.labels.add(other.labels)
        self.sized_candidates += other.sized_candidates


def tally(
    n_cells: int, labels: Sequence[int], candidates: Sequence[Sequence[int]], marked: Sequence[Sequence[int]]
) -> list[CellSums]:
    """Go through the people; each has a noisy label, candidate cells and marked cells."""
    cells = [CellSums() for _ in range(n_cells)]
    for label, possible, sent in zip(labels, candidates, marked, strict=True):
        for j in possible:
            add_person(cells[j].people, 1, len(possible), j in sent)
            add_person(cells[j].labels, label, len(possible), j in sent)
            if len(possible) > 1:
                cells[j].sized_candidates += len(possible)
    return cells


def add_person(sums: Sums, weight: int, n_candidates: int, marks: bool) -> None:
    """Add one person to one of their candidate cells."""
    if n_candidates == 1:
        sums.known += weight
        return
    sums.candidates += weight
    if marks:
        sums.marks += weight
        sums.sized_marks += weight * n_candidates
