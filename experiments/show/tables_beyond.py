"""The page of `beyond`: our one default configuration against the paper's methods, best in hindsight."""

from __future__ import annotations

from pathlib import Path

from experiments.common.names import JOINT, SEMI_PRIVATE
from experiments.show import claims, claims_beyond, drawing, figure_beyond, figure_data, tables_hiding
from experiments.show.figure_data import Results
from experiments.show.figure_text import table, with_error
from experiments.show.summary import Cell, load
from experiments.show.summary_beyond import LINES, best_of_paper, epsilons_of, excess, private_mean, simulation_curves
from experiments.show.tables import figure_text

HEADS = [
    "",
    "SemiPrivate",
    "HistOfTree joint",
    "private mean",
    "best of the paper's methods",
    "the same at twice ε",
    "SemiPrivate to private mean",
]
INTRODUCTION = """Mean squared error on the test part as a multiple of the best non-private tree's on the same splits,
both averaged over splits. **SemiPrivate** (`SemiPrivateRegressor`) and **HistOfTree joint** (`HistOfTreeRegressor`)
are in their one default configuration. The **private mean** is the mean of labels noised with all of ε, by Laplace
noise or by the bounded window response, whichever is lower. The **paper's methods** are each at the grid point that
is best on the test error of these splits; the lowest of them is named. **Bold**: SemiPrivate is lower than that."""
SIMULATION = """Mean squared error against the true function ± standard error over replications. HistOfTree ME is the
paper's, at the grid point that is best in hindsight; the others are in their one default configuration. "Without
private features" is SemiPrivate fitted on the public features alone, "all public" the same with nothing hidden but
the label."""


def write(rows_csv: Path, out: Path) -> list[Path]:
    """Write beyond.md and the figure, from the rows of the splits and, beside them, of the simulation."""
    runs, results = load(rows_csv), figure_data.load(rows_csv.with_name("beyond-simulation.csv"))
    pictures = drawing.save(figure_beyond.draw(results), out, "beyond")
    sections = ["# Beyond the paper", INTRODUCTION]
    for (epsilon, preference), cells in sorted(runs.items()):
        splits = len(next(iter(cells.values())).results["DT"].oracle)
        sections.append(f"## ε = {epsilon:g}, {preference}, {splits} splits")
        sections.append(_split_table(cells, runs.get((2 * epsilon, preference), {})))
    sections += [f"## {figure_beyond.TITLE}", f"![{figure_beyond.TITLE}](beyond.png)", SIMULATION]
    sections += [_simulation_table(results), *tables_hiding.sections(out), "## Statements"]
    judged = [*claims_beyond.real_data_claims(runs), *claims_beyond.simulation_claims(results)]
    sections.append(claims.to_markdown(judged))
    page = out / "beyond.md"
    page.write_text("\n\n".join(sections) + "\n", encoding="utf-8")
    return [*pictures, page]


def _split_table(cells: dict[str, Cell], cells_at_twice: dict[str, Cell]) -> str:
    rows = []
    for data, cell in cells.items():
        mine, best = cell.ratio(SEMI_PRIVATE), best_of_paper(cell)
        twice = best_of_paper(cells_at_twice[data]) if data in cells_at_twice else None
        told = f"**{figure_text(mine)}**" if mine < best[0] else figure_text(mine)
        ours = [told, figure_text(cell.ratio(JOINT)), figure_text(private_mean(cell))]
        theirs = [f"{figure_text(found[0])} ({found[1]})" if found else "" for found in (best, twice)]
        rows.append([data, *ours, *theirs, f"{100 * excess(cell):+.1f} %"])
    return table(HEADS, rows)


def _simulation_table(results: Results) -> str:
    rows = []
    for epsilon in epsilons_of(results):
        curves = simulation_curves(results, epsilon)
        for n in next(iter(curves.values())).x:
            points = [curves[line].at(n) for line in LINES]
            told = [with_error(point.mean, point.standard_error) for point in points]
            rows.append([f"{epsilon:g}", f"{n:,.0f}", *told])
    return table(["ε", "n", *LINES], rows)
