"""Figure 2d: error against how fast protection thins out, by the number s of histogram features, fixed or chosen."""

from __future__ import annotations

import matplotlib as mpl
from matplotlib.figure import Figure

from experiments.show import drawing, figure_text
from experiments.show.figure_data import ADAPTIVE, Line, Results, selection_curves
from plots import STYLE

TITLE = "Figure 2d: selection of s"
NAMES: dict[Line, str] = {**{s: f"s = {s}" for s in range(5)}, ADAPTIVE: "adaptive s"}


def draw(results: Results) -> Figure:
    """Draw the figure."""
    curves, example = selection_curves(results), results[0]
    with mpl.rc_context(STYLE):
        figure = drawing.new_figure(10, 6)
        axes = figure.add_subplot()
        for line, curve in curves.items():
            drawing.draw_curve(axes, line, curve)
        drawing.set_heights(axes, curves)
        gammas = sorted({x for curve in curves.values() for x in curve.x})
        drawing.end_at(axes, gammas[0], gammas[-1], "log")
        axes.set_xticks(gammas, [f"{gamma:g}" for gamma in gammas])
        axes.minorticks_off()
        axes.set_xlabel(
            r"Tail exponent $\gamma$: a share $1 / \ell^\gamma$ of the people protect feature number $\ell$"
            "\n← most protect most features          most protect only the first →"
        )
        axes.set_ylabel(drawing.ERROR_AXIS)
        setting = f"{example.n_people:,} people, ε = {example.epsilon:g}, 5 features"
        drawing.set_title(axes, f"{setting}, of which the first s are cut into bins", curves)
        drawing.label_ends(axes, curves, NAMES)
    return figure


def text(results: Results) -> str:
    """Return the plotted numbers."""
    table = "gamma", selection_curves(results), NAMES
    return f"{figure_text.curve_table(*table)}\n\n{figure_text.choices_table(*table)}"
