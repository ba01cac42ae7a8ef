"""Figure 2b: error against the number of people, with the slopes that the paper's theorems allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.show import drawing, figure_text
from experiments.show.figure_data import Curve, Curves, Floats, Line, Results, consistency_curves
from experiments.show.figure_slopes import (
    Slope,
    exponent,
    fit_slope,
    larger_half,
    lower_bound,
    measured_slope,
    overall_slope,
    upper_bound,
)
from plots import BLACK, STYLE

Bound = Callable[[Sequence[float], float, int], Floats]

TITLE = "Figure 2b: consistency"
NAMES: dict[Line, str] = {1: "1 private feature", **{s: f"{s} private features" for s in (2, 3, 4)}}
HEADING = "Each line with the rates of the theorems, drawn through its last point; slopes over the larger half of n"
BOUNDS = (
    "Theorem 2 is an upper bound, with a logarithm that makes it flatter at these n than in the limit. Theorem 1 is a "
    "lower bound, the larger of a private and a non-private term; at ε = {epsilon:g} and these n the non-private one, "
    "which falls faster, can be the larger, as a slope of \N{MINUS SIGN}2/7 shows. "
)
CAVEAT = (
    "Both theorems are about the worst case over all Lipschitz functions, so on this smooth one a measured slope may "
    "be steeper; and they speak of large n, so over a small range of n it may be flatter: as long as the best "
    "partition stays the same, more people only remove noise, and its bias stays."
)


def draw(results: Results) -> Figure:
    """Draw all lines together, and below each with the theorems' rates through its last point."""
    curves, epsilon = consistency_curves(results), results[0].epsilon
    with mpl.rc_context(STYLE):
        figure = drawing.new_figure(10, 9.5)
        above, below = figure.subfigures(2, 1, squeeze=False, height_ratios=(1.5, 1))[:, 0]
        axes = above.add_subplot()
        for line, curve in curves.items():
            drawing.draw_curve(axes, line, curve)
        people = _set_people(axes, curves)
        axes.set_xticks(people, [f"{n:,.0f}" for n in people])
        axes.set_xlabel("Number n of people (logarithmic scale)")
        axes.set_ylabel(drawing.ERROR_AXIS)
        drawing.set_title(axes, f"5 features, of which some are private; ε = {epsilon:g}", curves)
        names = {line: f"{NAMES[line]}\nslope {_measured(curve)}" for line, curve in curves.items()}
        drawing.label_ends(axes, curves, names, gap=0.11)
        below.suptitle(HEADING, x=0.01, ha="left", fontsize=10.5)
        panels = below.subplots(1, len(curves), sharey=True, squeeze=False)[0]
        for panel, (line, curve) in zip(panels, curves.items(), strict=True):
            _draw_rates(panel, line, curve, epsilon)
            people = _set_people(panel, curves)
            panel.set_xticks([people[0], people[-1]], [f"{n:,.0f}" for n in (people[0], people[-1])])
            panel.set_xlabel("n", labelpad=-9)
            panel.get_xticklabels()[0].set_horizontalalignment("left")
            panel.get_xticklabels()[-1].set_horizontalalignment("right")
        low, high = axes.get_ylim()
        panels[0].set_ylim(low * (low / high) ** 0.3, high)  # the names of the bounds stand below the lines
        panels[0].set_ylabel("Mean squared error")
    return figure


def _draw_rates(axes: Axes, line: Line, curve: Curve, epsilon: float) -> None:
    drawing.draw_curve(axes, line, curve, markersize=5)
    handles = []
    for name, bound, dashes in (("Theorem 2", upper_bound, "-"), ("Theorem 1", lower_bound, (0, (1, 1.5)))):
        rate = bound(curve.x, epsilon, int(line))
        label = f"{name}: slope {figure_text.with_error(_slope_of(bound, curve, epsilon, int(line)), digits=2)}"
        heights = rate * curve.mean[-1] / rate[-1]
        handles += axes.plot(curve.x, heights, color=BLACK, linewidth=1.1, linestyle=dashes, label=label)
    axes.legend(handles=handles, loc="lower left", fontsize=9, frameon=False, handlelength=1.6, borderaxespad=0.1)
    limit = figure_text.with_error(exponent(int(line)), digits=2)
    axes.set_title(
        f"{NAMES[line]}\nmeasured slope {_measured(curve)}\ntheory for n → ∞: {limit}", fontsize=9.5, loc="left"
    )


def _slope_of(bound: Bound, curve: Curve, epsilon: float, n_private: int) -> float:
    """Slope of a bound where the line's slope is measured."""
    n = larger_half(curve).x
    return fit_slope(n, bound(n, epsilon, n_private)).value


def _measured(curve: Curve) -> str:
    return _written(measured_slope(curve), 2)


def _written(slope: Slope, digits: int) -> str:
    return figure_text.with_error(slope.value, slope.standard_error, digits)


def _set_people(axes: Axes, curves: Curves) -> list[float]:
    people = sorted({x for curve in curves.values() for x in curve.x})
    drawing.set_heights(axes, curves)
    drawing.end_at(axes, people[0], people[-1], "log")
    axes.minorticks_off()
    return people


def text(results: Results) -> str:
    """Return the plotted numbers and the slopes."""
    curves, epsilon = consistency_curves(results), results[0].epsilon
    header = ["private features", "measured", "measured, all n", "Theorem 2", "Theorem 1", "both, n to infinity"]
    rows = [
        [str(line), _written(measured_slope(curve), 3), _written(overall_slope(curve), 3)]
        + [
            figure_text.with_error(value, digits=3)
            for value in (
                _slope_of(upper_bound, curve, epsilon, int(line)),
                _slope_of(lower_bound, curve, epsilon, int(line)),
                exponent(int(line)),
            )
        ]
        for line, curve in curves.items()
    ]
    n = larger_half(next(iter(curves.values()))).x
    return "\n\n".join(
        [
            figure_text.curve_table("n", curves, NAMES),
            figure_text.choices_table("n", curves, NAMES),
            f"Slope of log error against log n, by least squares over the larger half of n, {n[0]:,.0f} to "
            f"{n[-1]:,.0f}, unless it says all n; ± is the standard error that the replications leave in it:",
            figure_text.table(header, rows),
            BOUNDS.format(epsilon=epsilon) + CAVEAT,
        ]
    )
