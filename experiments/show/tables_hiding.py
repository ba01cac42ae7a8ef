"""What our estimator loses where people hide what matters most, and what it learns of functions of several kinds."""

from __future__ import annotations

from pathlib import Path

from experiments.common.functions import FUNCTIONS
from experiments.common.hiding import HIDING
from experiments.common.names import ALL_PUBLIC, PRIVATE_MEAN, SEMI_PRIVATE, WITHOUT_PRIVATE
from experiments.show.figure_text import table
from experiments.show.summary import Cell, load
from experiments.show.summary_beyond import MEANS, Table, private_mean
from experiments.show.tables import figure_text

METHODS = (SEMI_PRIVATE, WITHOUT_PRIVATE, ALL_PUBLIC)
HIDING_TEXT = """The same ratio where everybody hides the **two strongest** features, the **strongest half** of them, or
**everything**; strongest is what has the largest absolute correlation with the label among the people of a split.
"Without private features" is the same estimator fitted on the other features alone. "All public" is the same with
nothing hidden but the label: what hiding features costs is the distance to it."""
FUNCTION_TEXT = """Mean squared error against the function as a share of the function's variance: 1 is what its mean
would have. Two of five features are private; `experiments/common/functions.py` has the functions."""


def sections(out: Path) -> list[str]:
    """Return both sections, from the rows beside the page; a section without rows is left out."""
    found = []
    if (out / "hiding.csv").exists():
        found += ["## What matters most is hidden", HIDING_TEXT, *_hiding(load(out / "hiding.csv"))]
    if (out / "functions.csv").exists():
        found += ["## Functions of private and public features", FUNCTION_TEXT, _functions(load(out / "functions.csv"))]
    return found


def _hiding(runs: Table) -> list[str]:
    found = []
    for epsilon, kind in sorted(runs, key=lambda key: (key[0], HIDING.index(key[1]))):
        rows = [[data, *_told(cell)] for data, cell in runs[epsilon, kind].items()]
        found += [f"### ε = {epsilon:g}, {kind}", table(["", *METHODS, PRIVATE_MEAN], rows)]
    return found


def _told(cell: Cell) -> list[str]:
    return [*(figure_text(cell.ratio(method)) for method in METHODS), figure_text(private_mean(cell))]


def _functions(runs: Table) -> str:
    rows = []
    for name in FUNCTIONS:
        for (epsilon, _), cells in sorted(runs.items()):
            if name in cells:
                errors = {method: float(found.oracle.mean()) for method, found in cells[name].results.items()}
                told = [*(errors[method] for method in METHODS), min(errors[method] for method in MEANS)]
                rows.append([name, f"{epsilon:g}", *(f"{error:.3f}" for error in told)])
    return table(["function", "ε", *METHODS, PRIVATE_MEAN], rows)
