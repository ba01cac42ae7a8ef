"""The figure of `beyond`: error against the number of people, one panel per epsilon, our defaults and the paper's."""

from __future__ import annotations

import matplotlib as mpl
from matplotlib.figure import Figure

from experiments.common.names import ALL_PUBLIC, JOINT, PRIVATE_MEAN, SEMI_PRIVATE, WITHOUT_PRIVATE
from experiments.show import drawing
from experiments.show.figure_data import PAPER, Curves, Line, Results
from experiments.show.summary_beyond import epsilons_of, simulation_curves
from plots import STYLE

TITLE = "Simulation: two of five features private"
NAMES: dict[Line, str] = {
    PAPER: "HistOfTree of the paper,\nbest in hindsight",
    JOINT: "HistOfTree joint",
    SEMI_PRIVATE: "SemiPrivate",
    PRIVATE_MEAN: "private mean",
}


def draw(results: Results) -> Figure:
    """Draw all panels on one scale; names stand beside the last."""
    panels = {epsilon: simulation_curves(results, epsilon) for epsilon in epsilons_of(results)}
    for curves in panels.values():
        del curves[WITHOUT_PRIVATE], curves[ALL_PUBLIC]  # a check and a bound, not competitors
    every: Curves = {f"{epsilon} {line}": curve for epsilon, curves in panels.items() for line, curve in curves.items()}
    people = sorted({x for curve in every.values() for x in curve.x})
    with mpl.rc_context(STYLE):
        figure = drawing.new_figure(3.2 + 3.2 * len(panels), 5.4)
        row = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, (epsilon, curves) in zip(row, panels.items(), strict=True):
            for line, curve in curves.items():
                drawing.draw_curve(axes, line, curve, clip_on=False)
            drawing.set_heights(axes, every)
            drawing.end_at(axes, people[0], people[-1], "log")
            axes.minorticks_off()
            axes.set_xticks(people, [f"{n:,.0f}" for n in people])
            axes.get_xticklabels()[0].set_horizontalalignment("left")
            axes.get_xticklabels()[-1].set_horizontalalignment("right")
            axes.set_xlabel("Number n of people\n(logarithmic scale)")
            axes.set_title(f"ε = {epsilon:g}", loc="left")
        row[0].set_ylabel(drawing.ERROR_AXIS)
        drawing.label_ends(row[-1], curves, NAMES, gap=0.085, width=2.4)
        figure.suptitle(f"{TITLE}\n{drawing.legend(every)}", x=0.01, ha="left", fontsize=10.5)
    return figure
