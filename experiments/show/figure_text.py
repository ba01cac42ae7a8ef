"""The figures' numbers as Markdown."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from experiments.show.figure_data import Best, Curves, Line

NOTHING = "-"
SHORT = {"depth": "p", "bins": "t", "label_share": "share", "bias_weight": "weight"}


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a Markdown table."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [header, ["---"] * len(header), *rows])


def with_error(value: float, standard_error: float = math.nan, digits: int = 4) -> str:
    """Write a number with its standard error, where there is one."""
    if math.isnan(value):
        return NOTHING
    number = f"{value:.{digits}f}".replace("-", "\N{MINUS SIGN}")
    return number if math.isnan(standard_error) else f"{number} ± {standard_error:.{digits}f}"


def curve_table(x_name: str, curves: Curves, names: Mapping[Line, str]) -> str:
    """Write the heights of all lines with their standard errors."""
    heights = _by_x(x_name, curves, names, lambda best: with_error(best.mean, best.standard_error))
    return f"Mean squared error against the true function ± standard error over replications:\n\n{heights}"


def choices_table(x_name: str, curves: Curves, names: Mapping[Line, str]) -> str:
    """Write the grid points behind the heights."""
    return (
        "The grid point behind each number, that is the one whose mean over the replications is lowest (s: histogram "
        "features, p: depth, t: bins, share: part of ε that the label gets). Being chosen on the replications that it "
        "is judged on flatters it a little, the more so the fewer they are:\n\n"
        + _by_x(x_name, curves, names, lambda best: describe(best) or NOTHING)
    )


def _by_x(x_name: str, curves: Curves, names: Mapping[Line, str], cell: Callable[[Best], str]) -> str:
    places = sorted({x for curve in curves.values() for x in curve.x})
    rows = [[f"{x:g}"] + [cell(curve.at(x)) if x in curve.x else NOTHING for curve in curves.values()] for x in places]
    return table([x_name, *(names[line] for line in curves)], rows)


def describe(best: Best) -> str:
    """Write a grid point in short."""
    return ", ".join(f"{SHORT.get(name, name)} {float(value):g}" for name, value in best.point)
