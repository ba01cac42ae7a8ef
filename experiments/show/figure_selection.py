"""Figure 2d: error against how fast protection thins out, by the number s of histogram features, fixed or chosen."""

from __future__ import annotations

import matplotlib as mpl
from matplotlib.figure import Figure

from experiments.show import figure_text, plots
from experiments.show.figure_data import ADAPTIVE, Line, Results, selection_curves

TITLE = "Figure 2d: selection of s"
NAMES: dict[Line, str] = {**{s: f"s = {s}" for s in range(5)}, ADAPTIVE: "adaptive s"}


def draw(results: Results) -> Figure:
    """Draw the figure."""
    curves, example = selection_curves(results), results[0]
    with mpl.rc_context(plots.STYLE):
        figure = plots.new_figure(10, 6)
        axes = figure.add_subplot()
        for line, curve in curves.items():
            plots.draw_curve(axes, line, curve)
        plots.set_heights(axes, curves)
        gammas = sorted({x for curve in curves.values() for x in curve.x})
        plots.end_at(axes, gammas[0], gammas[-1], "log")
        axes.set_xticks(gammas, [f"{gamma:g}" for gamma in gammas])
        axes.minorticks_off()
        axes.set_xlabel(
            r"Tail exponent $\gamma$: a share $1 / \ell^\gamma$ of the people protect feature number $\ell$"
            "\n← most protect most features          most protect only the first →"
        )
        axes.set_ylabel(plots.ERROR_AXIS)
        setting = f"{example.n_people:,} people, ε = {example.epsilon:g}, 5 features"
        plots.set_title(axes, f"{setting}, of which the first s are cut into bins", curves)
        plots.label_ends(axes, curves, NAMES)
    return figure


def text(results: Results) -> str:
    """Return the plotted numbers."""
    table = "gamma", selection_curves(results), NAMES
    return f"{figure_text.curve_table(*table)}\n\n{figure_text.choices_table(*table)}"
