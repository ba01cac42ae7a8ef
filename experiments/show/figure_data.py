"""From a figure's rows to its lines: at each setting the best grid point in hindsight, averaged over replications."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from experiments.common.names import HIST_OF_TREE_ME, JOINT, MEAN
from experiments.common.rows import FIELDS_OF_A_GRID_POINT
from experiments.common.simulation import N_FEATURES

Floats = NDArray[np.float64]
Line = int | str  # which line of a figure: a number of features or bins, or a method's name
GridPoint = tuple[tuple[str, str], ...]  # the parameters that are set, as (name, value)

ADAPTIVE, PAPER = "adaptive", HIST_OF_TREE_ME
JOINT_PRIVATE = 2  # private features of the one line that is drawn with our defaults


@dataclass(frozen=True)
class Result:
    """One row of the merged file, with what a figure needs of it."""

    replication: int
    epsilon: float
    n_people: int | None
    n_private: int | None
    gamma: float | None
    method: str
    error: float
    point: GridPoint

    def parameter(self, name: str) -> int:
        """Return a whole-numbered parameter of the grid point."""
        return int(dict(self.point)[name])


Results = Sequence[Result]


def load(rows_csv: Path) -> list[Result]:
    """Read the merged rows of one figure."""
    with open(rows_csv, newline="") as file:
        results = [_result(row) for row in csv.DictReader(file)]
    if not results:
        raise ValueError(f"{rows_csv} has no rows, so there is nothing to draw; run the figure's tasks first")
    return results


def _result(row: dict[str, str]) -> Result:
    return Result(
        replication=int(row["replication"]),
        epsilon=float(row["epsilon"]),
        n_people=int(row["n_people"]) if row["n_people"] else None,
        n_private=int(row["n_private"]) if row["n_private"] else None,
        gamma=float(row["gamma"]) if row["gamma"] else None,
        method=row["method"],
        error=float(row["error"]),
        point=tuple((name, row[name]) for name in FIELDS_OF_A_GRID_POINT if row[name]),
    )


@dataclass(frozen=True)
class Best:
    """The grid point whose error, averaged over replications, is lowest (the paper's oracle), and its errors."""

    point: GridPoint
    errors: dict[int, float]  # by replication

    @property
    def mean(self) -> float:
        """Average over replications."""
        return float(np.mean(list(self.errors.values())))

    @property
    def standard_error(self) -> float:
        """Standard error of the average; not known from a single replication."""
        return _standard_error(list(self.errors.values()))


def _standard_error(values: Sequence[float]) -> float:
    return float(np.std(values, ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.nan


def best(results: Iterable[Result]) -> Best:
    """Choose among the grid points of one setting; the first wins a tie."""
    points: dict[GridPoint, dict[int, float]] = defaultdict(dict)
    for result in results:
        points[result.point][result.replication] = result.error
    return min((Best(point, errors) for point, errors in points.items()), key=lambda candidate: candidate.mean)


def difference(after: Best, before: Best) -> tuple[float, float]:
    """Return how much the error grew and the standard error of that, replication by replication."""
    common = sorted(after.errors.keys() & before.errors.keys())
    grown = [after.errors[replication] - before.errors[replication] for replication in common]
    return (float(np.mean(grown)), _standard_error(grown)) if grown else (after.mean - before.mean, math.nan)


@dataclass(frozen=True, eq=False)
class Curve:
    """One line of a figure: x in ascending order, and the best grid point at each."""

    x: tuple[float, ...]
    best: tuple[Best, ...]

    @property
    def mean(self) -> Floats:
        """Height of the line."""
        return np.array([point.mean for point in self.best])

    @property
    def standard_error(self) -> Floats:
        """Standard error of the height."""
        return np.array([point.standard_error for point in self.best])

    @property
    def lowest(self) -> int:
        """Where the line is lowest."""
        return int(np.argmin(self.mean))

    def at(self, x: float) -> Best:
        """Return the best grid point at one x."""
        return self.best[self.x.index(x)]


Curves = dict[Line, Curve]


def curves_of(results: Results, line: Callable[[Result], Line | None], x: Callable[[Result], float | None]) -> Curves:
    """Sort rows by line and x, in ascending order with named lines last; rows without either are left out."""
    groups: dict[Line, dict[float, list[Result]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        name, place = line(result), x(result)
        if name is not None and place is not None:
            groups[name][place].append(result)
    ordered = sorted(groups, key=lambda name: (isinstance(name, str), str(name)))
    return {name: Curve(*zip(*_points(groups[name]), strict=True)) for name in ordered}


def _points(group: dict[float, list[Result]]) -> list[tuple[float, Best]]:
    return [(place, best(group[place])) for place in sorted(group)]


def trade_off_curves(results: Results) -> Curves:
    """Error against epsilon, by the number of private features: none is LabelDT, all is Hist; the mean; ours."""
    return curves_of(results, _trade_off_line, lambda result: result.epsilon)


def _trade_off_line(result: Result) -> Line | None:
    if result.n_private == 0:
        lines: dict[str, Line] = {"LabelDT": 0, MEAN: MEAN}
        return lines.get(result.method)
    if result.n_private == N_FEATURES:
        return N_FEATURES if result.method == "Hist" else None
    if result.method == JOINT:
        return JOINT if result.n_private == JOINT_PRIVATE else None
    return _if_paper(result, result.n_private)


def _if_paper(result: Result, line: Line | None) -> Line | None:
    """Return the line of a row of the paper's HistOfTree; what else was run is not in the paper's figures."""
    return line if result.method == PAPER else None


def consistency_curves(results: Results) -> Curves:
    """Error against the number of people, by the number of private features."""
    return curves_of(results, lambda result: _if_paper(result, result.n_private), lambda result: result.n_people)


def parameters_curves(results: Results) -> Curves:
    """Error against the depth, by the number of bins."""
    paper = [result for result in results if result.method == PAPER]
    return curves_of(paper, lambda result: result.parameter("bins"), lambda result: result.parameter("depth"))


def selection_curves(results: Results) -> Curves:
    """Error against gamma, by the number of histogram features, and with the adaptive choice of it."""
    return curves_of(
        [result for result in results if result.method in (PAPER, "Ad" + PAPER)],
        lambda result: result.parameter("s") if result.method == PAPER else ADAPTIVE,
        lambda result: result.gamma,
    )
