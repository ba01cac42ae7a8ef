"""From rows to one figure per data set and method: best grid point in hindsight, and honest choice."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata, wilcoxon

from experiments.common.rows import FIELDS_OF_A_GRID_POINT

Floats = NDArray[np.float64]

REPORTED = Path(__file__).parent / "reported_results.csv"
SHORT = {"max-edge": "ME", "cart": "CART"}
SIGNIFICANCE = 0.05


@dataclass(frozen=True, eq=False)
class Result:
    """One method on one data set: errors per split of the oracle's grid point and of the honest choice."""

    oracle: Floats
    honest: Floats
    grid_point: str


@dataclass(frozen=True, eq=False)
class Cell:
    """All methods on one data set, at one epsilon and preference."""

    results: dict[str, Result]

    def ratio(self, method: str, kind: str = "oracle") -> float:
        """Mean error as a multiple of that of the best non-private tree on the same splits."""
        errors: Floats = getattr(self.results[method], kind)
        return float(errors.mean() / self.results["DT"].oracle.mean())

    def significant(self, method: str, others: list[str]) -> bool:
        """Whether the method's errors are lower than every other's by the Wilcoxon signed-rank test at 0.05."""
        mine = self.results[method].oracle
        return all(_lower(mine, self.results[other].oracle) for other in others if other != method)


def _lower(a: Floats, b: Floats) -> bool:
    if len(a) < 6 or np.allclose(a, b):
        return False
    return bool(wilcoxon(a, b, alternative="less").pvalue < SIGNIFICANCE)


def load(rows_csv: Path) -> dict[tuple[float, str], dict[str, Cell]]:
    """Read the table's rows: (epsilon, preference) -> data set -> cell."""
    errors: dict[tuple[str, ...], dict[str, dict[int, tuple[float, float]]]] = defaultdict(lambda: defaultdict(dict))
    with open(rows_csv, newline="") as file:
        for row in csv.DictReader(file):
            point = ", ".join(f"{name}={row[name]}" for name in FIELDS_OF_A_GRID_POINT if row[name])
            scores = float(row["error"]), float(row["honest"])
            setting = (row["epsilon"], row["preference"], row["data"], row["method"])
            errors[setting][point][int(row["replication"])] = scores
    table: dict[tuple[float, str], dict[str, Cell]] = defaultdict(dict)
    for (epsilon, preference, data, method), points in errors.items():
        cells = table[float(epsilon), preference]
        cells.setdefault(data, Cell({})).results[method] = _result(points)
    return dict(table)


def _result(points: dict[str, dict[int, tuple[float, float]]]) -> Result:
    names = list(points)
    splits = sorted(points[names[0]])
    scores = np.array(
        [[points[name][split] for split in splits] for name in names]
    )  # grid point, split, (error, honest)
    best = int(np.argmin(scores[:, :, 0].mean(axis=1)))
    chosen = np.argmin(scores[:, :, 1], axis=0)
    return Result(scores[best, :, 0], scores[chosen, np.arange(len(splits)), 0], names[best])


def rank_sums(cells: dict[str, Cell], methods: list[str], kind: str = "oracle") -> dict[str, float]:
    """Add up each method's rank over the data sets, 1 being the lowest error; ties share their ranks."""
    ranks = np.array([rankdata([cell.ratio(method, kind) for method in methods]) for cell in cells.values()])
    return dict(zip(methods, ranks.sum(axis=0).tolist(), strict=True))


def reported() -> dict[tuple[float, str, str, str], float]:
    """The paper's figures: (epsilon, preference, data set, method) -> ratio."""
    with open(REPORTED, newline="") as file:
        return {
            (
                float(row["epsilon"]),
                row["preference"],
                row["dataset"],
                f"{row['method']} {SHORT[row['rule']]}" if row["rule"] else row["method"],
            ): float(row["mse_ratio"])
            for row in csv.DictReader(file)
        }
