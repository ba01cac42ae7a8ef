"""Figure 2c: error against the depth of the tree, by the number of bins of a private feature."""

from __future__ import annotations

import matplotlib as mpl
from matplotlib.figure import Figure

from experiments.show import drawing, figure_text
from experiments.show.figure_data import Line, Results, parameters_curves
from plots import STYLE

TITLE = "Figure 2c: parameters"
BELOW = "Rings: lowest point of each line."
NAMES: dict[Line, str] = {1: "t = 1 bin", **{t: f"t = {t} bins" for t in (2, 3, 4)}}


def draw(results: Results) -> Figure:
    """Draw the figure."""
    curves, example = parameters_curves(results), results[0]
    with mpl.rc_context(STYLE):
        figure = drawing.new_figure(10, 6)
        axes = figure.add_subplot()
        for line, curve in curves.items():
            drawing.draw_curve(axes, line, curve)
            low = curve.lowest
            ring = {"color": drawing.look_of(line)["color"], "marker": "o", "markersize": 17, "markeredgewidth": 1.8}
            axes.plot(curve.x[low], curve.mean[low], **ring, markerfacecolor="none", linestyle="", clip_on=False)
        drawing.set_heights(axes, curves)
        depths = sorted({x for curve in curves.values() for x in curve.x})
        drawing.end_at(axes, depths[0], depths[-1])
        axes.set_xticks(depths)
        axes.set_xlabel("Depth p of the tree on the public features\n← coarser          finer, more cells →")
        axes.set_ylabel(drawing.ERROR_AXIS)
        setting = f"{example.n_people:,} people, ε = {example.epsilon:g}, {example.n_private} of 5 features private"
        drawing.set_title(axes, f"{setting}, each cut into t bins", curves, BELOW)
        drawing.label_ends(axes, curves, NAMES)
    return figure


def text(results: Results) -> str:
    """Return the plotted numbers and where each line is lowest."""
    curves = parameters_curves(results)
    rows = [
        [
            NAMES[line],
            f"{curve.x[curve.lowest]:g}",
            figure_text.with_error(curve.mean[curve.lowest], curve.standard_error[curve.lowest]),
        ]
        for line, curve in curves.items()
    ]
    return (
        figure_text.curve_table("p", curves, NAMES)
        + "\n\nLowest point of each line:\n\n"
        + figure_text.table(["bins", "at p", "error"], rows)
    )
