"""What the figures share: marks and dashes that survive a copier, axes, names beside lines, saving."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import LogLocator, NullFormatter

from experiments.common.names import JOINT, MEAN, PRIVATE_MEAN, SEMI_PRIVATE
from experiments.show.figure_data import ADAPTIVE, PAPER, Curve, Curves, Line
from plots import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, STYLE, VERMILION, spread_out

Look = dict[str, Any]
LOOKS: dict[Line, Look] = {
    0: {"color": SKY, "marker": "v", "linestyle": (0, (3, 2)), "markerfacecolor": "white"},
    1: {"color": BLUE, "marker": "o", "linestyle": "-"},
    2: {"color": GREEN, "marker": "^", "linestyle": (0, (6, 2))},
    3: {"color": ORANGE, "marker": "D", "linestyle": (0, (8, 2, 2, 2))},
    4: {"color": PURPLE, "marker": "s", "linestyle": (0, (5, 1, 1, 1, 1, 1))},
    5: {"color": VERMILION, "marker": "X", "linestyle": (0, (2, 1)), "markerfacecolor": "white"},
    PAPER: {"color": GREEN, "marker": "^", "linestyle": (0, (6, 2))},
    JOINT: {"color": BLACK, "marker": "P", "linestyle": "-", "markerfacecolor": "white"},
    SEMI_PRIVATE: {"color": VERMILION, "marker": "o", "linestyle": "-", "linewidth": 2.6},
    PRIVATE_MEAN: {"color": GREY, "marker": "", "linestyle": (0, (1, 1.5)), "linewidth": 2.2},
    MEAN: {"color": BLACK, "marker": "", "linestyle": ":", "linewidth": 1.2},
    ADAPTIVE: {"color": BLACK, "marker": "*", "linestyle": "-", "linewidth": 3.2, "markersize": 15, "zorder": 1.9},
}
STANDARD_ERRORS = 2
FAR = 1.4  # shades are cut off beyond this factor of the outermost lines
MARGIN = 0.015  # of the width, left and right
ERROR_AXIS = "Mean squared error against the true function\n(logarithmic scale; lower is better)"


def look_of(line: Line) -> Look:
    """Return colour, mark and dashes of a line."""
    return {"linewidth": 1.8, "markersize": 7, **LOOKS[line]}


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure on white, whatever the page's background, that needs no screen."""
    layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08)  # inches
    figure = Figure(figsize=(width, height), facecolor="white", layout=layout)
    FigureCanvasAgg(figure)
    return figure


def save(figure: Figure, out: Path, name: str) -> list[Path]:
    """Write PNG and SVG without a date, so that a run can be repeated byte for byte."""
    paths = [out / f"{name}.png", out / f"{name}.svg"]
    with mpl.rc_context(STYLE):
        figure.draw_without_rendering()  # arranges the parts, once for both files
        figure.set_layout_engine("none")
        figure.savefig(paths[0], dpi=160)
        figure.savefig(paths[1], metadata={"Date": None})
    return paths


def draw_curve(axes: Axes, line: Line, curve: Curve, x: Sequence[float] | None = None, **changes: Any) -> None:
    """Draw one line with its shade."""
    look = {**look_of(line), **changes}
    places = curve.x if x is None else x
    spread = STANDARD_ERRORS * np.nan_to_num(curve.standard_error)
    low = np.maximum(curve.mean - spread, curve.mean / 10)  # a shade that reaches 0 has no place on this scale
    axes.fill_between(places, low, curve.mean + spread, color=look["color"], alpha=0.13, linewidth=0)
    axes.plot(places, curve.mean, **look)


def error_axis(axis: Axis) -> None:
    """Number a logarithmic axis at 1, 1.5, 2, 3, 5 and 7."""
    axis.set_major_locator(LogLocator(subs=(1, 1.5, 2, 3, 5, 7)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())
    axis.set_tick_params(which="minor", length=0)


def set_heights(axes: Axes, curves: Curves) -> None:
    """Make heights logarithmic, with a light grid."""
    means = np.concatenate([curve.mean for curve in curves.values()])
    spread = STANDARD_ERRORS * np.nan_to_num(np.concatenate([curve.standard_error for curve in curves.values()]))
    axes.set_yscale("log")
    low = max((means - spread).min(), means.min() / FAR)
    high = min((means + spread).max(), means.max() * FAR)
    axes.set_ylim(low / 1.05, high * 1.05)
    error_axis(axes.yaxis)
    axes.grid(axis="y", which="major", color="0.9")
    axes.set_axisbelow(True)


def set_title(axes: Axes, title: str, curves: Curves, below: str = "Grid point: best in hindsight.") -> None:
    """Write what is drawn, and below it what lines and shades are."""
    axes.set_title(f"{title}\n{legend(curves)} {below}", loc="left", fontsize=10.5)


def legend(curves: Curves) -> str:
    """Say what lines and shades are."""
    counts = sorted({len(best.errors) for curve in curves.values() for best in curve.best})
    times = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f"Lines: mean of {times} replications. Shades: ± {STANDARD_ERRORS} standard errors."


def label_ends(axes: Axes, curves: Curves, names: Mapping[Line, str], gap: float = 0.062, width: float = 1.0) -> None:
    """Write each name beside the right end of its line, moved apart where lines end close; `width` for small axes."""
    low, high = np.log(axes.get_ylim())
    axes.set_ylim(axes.get_ylim())  # from here on nothing rescales
    heights = (np.log([curve.mean[-1] for curve in curves.values()]) - low) / (high - low)  # as a share of the axis
    edge: dict[str, Any] = {"transform": axes.transAxes, "clip_on": False}
    for line, end, place in zip(curves, heights, spread_out(heights, gap), strict=True):
        look, dashes = look_of(line), ":" if line == MEAN else "-"
        axes.plot([0.995, 1 + 0.04 * width], [end, place], color=look["color"], linewidth=0.9, linestyle=dashes, **edge)
        axes.plot([1 + 0.045 * width, 1 + 0.105 * width], [place, place], **{**look, "marker": ""}, **edge)
        axes.plot([1 + 0.075 * width], [place], **look, **edge)
        weight = "bold" if line == ADAPTIVE else "normal"
        written: dict[str, Any] = {"transform": axes.transAxes, "va": "center", "fontsize": 10.5, "fontweight": weight}
        axes.text(1 + 0.12 * width, place, names[line], **written)


def end_at(axes: Axes, first: float, last: float, scale: str = "linear") -> None:
    """Let x reach from just before the first to just behind the last place, where the names begin."""
    if scale == "log":
        axes.set_xscale("log", base=2)
    if first == last:
        return
    if scale == "log":
        margin = (last / first) ** MARGIN
        axes.set_xlim(first / margin, last * margin)
    else:
        axes.set_xlim(first - MARGIN * (last - first), last + MARGIN * (last - first))
