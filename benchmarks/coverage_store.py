"""Results of single studies, kept in a CSV file: a long run may be stopped and continued on the same code."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple


class Outcome(NamedTuple):
    """Share of x whose interval holds the truth, mean width, mean square error and mean variance."""

    inside: float
    width: float
    square: float
    variance: float


class Store:
    """Outcomes by case and number of the study; appended to a file if there is one."""

    def __init__(self, path: Path | None = None) -> None:
        self._path, self._found = path, dict[tuple[str, int], Outcome]()
        if path is not None and path.exists():
            with path.open(newline="") as file:
                for case, number, *values in csv.reader(file):
                    self._found[case, int(number)] = Outcome(*map(float, values))

    def get(self, case: str, number: int) -> Outcome | None:
        """Return what was found, if it was."""
        return self._found.get((case, number))

    def put(self, case: str, number: int, found: Outcome) -> None:
        """Keep what was found."""
        self._found[case, number] = found
        if self._path is not None:
            with self._path.open("a", newline="") as file:
                csv.writer(file).writerow([case, number, *found])
