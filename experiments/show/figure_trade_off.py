"""Figure 2a: error against epsilon, by how many features are private."""

from __future__ import annotations

import math
from collections.abc import Sequence

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.common.names import JOINT, MEAN
from experiments.common.simulation import N_FEATURES
from experiments.show import drawing, figure_text
from experiments.show.figure_data import Line, Results, trade_off_curves
from plots import STYLE

TITLE = "Figure 2a: privacy-utility trade-off"
BELOW = "Grid point: best in hindsight; HistOfTree joint: not tuned."
NO_NOISE = 100.0  # a larger epsilon is the paper's non-private end, drawn behind a break of the axis
NAMES: dict[Line, str] = {
    0: "label LDP: no feature private",
    1: "1 private feature",
    2: "2 private features",
    3: "3 private features",
    4: "4 private features",
    N_FEATURES: "LDP: all 5 features private",
    MEAN: "mean predictor",
    JOINT: "2 private, HistOfTree joint",
}


def draw(results: Results) -> Figure:
    """Draw the figure."""
    curves = trade_off_curves(results)
    epsilons = sorted({x for curve in curves.values() for x in curve.x})
    with mpl.rc_context(STYLE):
        figure = drawing.new_figure(10, 6)
        axes = figure.add_subplot()
        for line, curve in curves.items():
            drawing.draw_curve(axes, line, curve, places(curve.x))
        drawing.set_heights(axes, curves)
        _set_epsilons(axes, epsilons)
        axes.set_ylabel(drawing.ERROR_AXIS)
        people = ", ".join(f"{n:,}" for n in sorted({result.n_people or 0 for result in results}))
        drawing.set_title(axes, f"{people} people, 5 features, of which some are private", curves, BELOW)
        drawing.label_ends(axes, curves, NAMES)
    return figure


def places(epsilons: Sequence[float]) -> list[float]:
    """Return where each epsilon stands: by its logarithm, the non-private end a step and a half behind 16."""
    return [math.log2(epsilon) if epsilon < NO_NOISE else math.log2(16) + 1.5 for epsilon in epsilons]


def _set_epsilons(axes: Axes, epsilons: Sequence[float]) -> None:
    names = [f"{epsilon:g}" if epsilon < NO_NOISE else f"{epsilon:g}\n(no noise)" for epsilon in epsilons]
    axes.set_xticks(places(epsilons), names)
    drawing.end_at(axes, places(epsilons)[0], places(epsilons)[-1])
    if epsilons[-1] >= NO_NOISE:
        axes.text(
            math.log2(16) + 0.75, 0, "//", transform=axes.get_xaxis_transform(), ha="center", va="center", fontsize=13,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )  # fmt: skip
    axes.set_xlabel(
        "Privacy budget ε each person spends\n← more privacy, more noise          less privacy, less noise →"
    )


def text(results: Results) -> str:
    """Return the plotted numbers."""
    table = "ε", trade_off_curves(results), NAMES
    return f"{figure_text.curve_table(*table)}\n\n{figure_text.choices_table(*table)}"
