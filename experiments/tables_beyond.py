"""SemiPrivateRegressor beside the paper's methods: one default configuration against the best in hindsight."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np

from experiments.rows import FIELDS_OF_A_GRID_POINT
from experiments.summary import Cell, load
from experiments.tables import PAPER_METHODS, figure_text, table_line


def write(rows_csv: Path, out: Path) -> list[Path]:
    """Write beyond.md; the paper's methods come from the table of the same folder, on the same splits."""
    ours = load(rows_csv)
    paper = load(out / "table.csv") if (out / "table.csv").exists() else {}
    lines = ["# Beyond the paper", "", _INTRODUCTION, ""]
    for (epsilon, preference), cells in sorted(ours.items()):
        splits = len(next(iter(cells.values())).results["DT"].oracle)
        lines += [f"## epsilon = {epsilon:g}, {preference}, {splits} splits", ""]
        lines += _table(cells, paper.get((epsilon, preference), {}), paper.get((2 * epsilon, preference), {}))
        lines.append("")
    page = out / "beyond.md"
    page.write_text("\n".join(lines))
    return [page]


_INTRODUCTION = """Mean squared error as a multiple of the best non-private tree's on the same splits. SemiPrivate is in
its one default configuration; the paper's methods are each at the grid point that is best on the test error, over all
the splits of the table. The private mean is the mean of labels noised with all of epsilon."""


def _table(cells: dict[str, Cell], paper: dict[str, Cell], paper_twice: dict[str, Cell]) -> list[str]:
    heads = [
        "",
        "SemiPrivate",
        "private mean",
        "best of the paper's methods",
        "the same at twice epsilon",
        "below both means",
    ]
    lines, wins, wins_twice = [table_line(heads), table_line(["---"] * len(heads))], 0, 0
    for data, cell in cells.items():
        mine, mean = cell.ratio("SemiPrivate"), cell.ratio("private mean")
        best, twice = _best(paper.get(data)), _best(paper_twice.get(data))
        wins += best is not None and mine < best[0]
        wins_twice += twice is not None and mine < twice[0]
        texts = [f"{figure_text(found[0])} ({found[1]})" if found else "" for found in (best, twice)]
        excess = "yes" if mine <= mean else f"{mine / mean - 1:+.0%}"
        lines.append(table_line([data, f"**{figure_text(mine)}**", figure_text(mean), *texts, excess]))
    count = f"Lower than the best of the paper's methods on {wins} of {len(cells)}"
    return [*lines, "", f"{count}; than the same at twice epsilon on {wins_twice}." if paper_twice else f"{count}."]


def _best(cell: Cell | None) -> tuple[float, str] | None:
    if cell is None:
        return None
    methods = dict.fromkeys(name for names in PAPER_METHODS.values() for name in names)
    return min((cell.ratio(method), method) for method in methods if method in cell.results)


def write_simulation(rows_csv: Path, out: Path) -> list[Path]:
    """Write beyond-simulation.md."""
    errors: dict[tuple[int, float, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with open(rows_csv, newline="") as file:
        for row in csv.DictReader(file):
            point = " ".join(row[name] for name in FIELDS_OF_A_GRID_POINT)
            setting = int(row["n_people"]), float(row["epsilon"]), row["method"]
            errors[setting][point].append(float(row["error"]))
    heads = ["people", "epsilon", "SemiPrivate", "private mean", "HistOfTree, best in hindsight"]
    lines = ["# Simulation: squared error against the true function, two private features", ""]
    lines += [table_line(heads), table_line(["---"] * len(heads))]
    for n, epsilon in sorted({key[:2] for key in errors}):
        texts = []
        for method in ("SemiPrivate", "private mean", "HistOfTree ME"):
            values = np.array(min(errors[n, epsilon, method].values(), key=lambda found: float(np.mean(found))))
            texts.append(f"{values.mean():.4f} ± {values.std(ddof=1) / np.sqrt(len(values)):.4f}")
        lines.append(table_line([f"{n:,}", f"{epsilon:g}", *texts]))
    page = out / "beyond-simulation.md"
    page.write_text("\n".join(lines) + "\n")
    return [page]
