"""The trade-off picture: error against privacy budget, one line per method."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator

from examples.demo.contest import Contest
from examples.demo.pictures import new_figure, save
from plots import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, STYLE, VERMILION, spread_out

MARGIN = 1.06
BAND = (10, 90)  # percentiles of the runs that a shade spans
LOOKS: dict[str, dict[str, Any]] = {
    "SemiPrivate": {"color": VERMILION, "marker": "*", "markersize": 12, "linestyle": "-", "linewidth": 3, "zorder": 6},
    "Joint": {"color": BLUE, "marker": "P", "linestyle": (0, (5, 1)), "zorder": 5},
    "HistOfTree": {"color": BLUE, "marker": "o", "linestyle": "-", "zorder": 5},
    "Hist": {"color": ORANGE, "marker": "s", "linestyle": "-"},
    "ParDT": {"color": GREEN, "marker": "^", "linestyle": (0, (6, 2))},
    "KRR": {"color": PURPLE, "marker": "D", "linestyle": (0, (8, 2, 2, 2))},
    "Mean": {"color": BLACK, "marker": "x", "linestyle": ":"},
    "LabelDT": {"color": SKY, "marker": "v", "linestyle": (0, (3, 2)), "markerfacecolor": "white"},
    "Tree": {"color": GREY, "marker": "o", "linestyle": (0, (3, 2, 1, 2)), "markerfacecolor": "white"},
}
SHORT = {
    "SemiPrivate": "SemiPrivate (recommended)",
    "Joint": "HistOfTree, joint reports",
    "HistOfTree": "HistOfTree of the paper",
    "Hist": "Hist (all features private)",
    "ParDT": "ParDT (public features only)",
    "KRR": "KRR (randomised features)",
    "Mean": "Mean (one number for all)",
    "LabelDT": "LabelDT (protects label only)",
    "Tree": "Tree (no privacy)",
}


def draw_trade_off(contest: Contest, out: Path) -> list[Path]:
    """Draw and save the picture as PNG and SVG."""
    with mpl.rc_context(STYLE):
        figure = new_figure(10, 6)
        axes = figure.add_subplot()
        for m, method in enumerate(contest.methods):
            look = {"linewidth": 1.8, "markersize": 7, **LOOKS[method.name]}
            low, high = np.percentile(contest.errors[:, m], BAND, axis=0)
            axes.fill_between(contest.epsilons, low, high, color=look["color"], alpha=0.15, linewidth=0)
            axes.plot(contest.epsilons, contest.mean[m], **look)
        _set_axes(axes, contest)
        _label_lines(axes, contest)
    return [save(figure, out / f"trade_off.{kind}") for kind in ("png", "svg")]


def _set_axes(axes: Axes, contest: Contest) -> None:
    size = contest.size
    axes.set_xscale("log", base=2)
    axes.set_xlim(contest.epsilons[0] / MARGIN, contest.epsilons[-1] * MARGIN)
    axes.set_yscale("log")
    axes.set_xticks(contest.epsilons, [f"{epsilon:g}" for epsilon in contest.epsilons])
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.grid(axis="y", which="major", color="0.9")
    axes.set_axisbelow(True)
    axes.set_xlabel(
        "Privacy budget ε each person spends\n← more privacy, more noise          less privacy, less noise →"
    )
    axes.set_ylabel("Mean squared error against the true function\n(logarithmic scale; lower is better)")
    axes.set_title(
        f"{size.n_people:,} people; label and features 1 and 2 are private\n"
        f"Lines: mean of {size.n_runs} runs. Shades: the middle {BAND[1] - BAND[0]} % of runs. "
        "Hollow markers: protect less",
        loc="left",
        fontsize=11,
    )


def _label_lines(axes: Axes, contest: Contest) -> None:
    """Write each name at the right end of its line, moved apart where lines end close together."""
    axes.set_ylim(axes.get_ylim())  # from here on nothing rescales
    left, right = np.log(axes.get_xlim())
    last = (np.log(contest.epsilons[-1]) - left) / (right - left)
    low, high = np.log(axes.get_ylim())
    heights = (np.log(contest.mean[:, -1]) - low) / (high - low)  # as a share of the axis
    names = [method.name for method in contest.methods]
    edge = axes.transAxes
    for name, end, place in zip(names, heights, spread_out(heights, 0.062), strict=True):
        look = LOOKS[name]
        axes.plot([last + 0.01, 1.05], [end, place], color=look["color"], linewidth=1, transform=edge, clip_on=False)
        axes.plot([1.065], [place], **{**look, "markersize": 7}, transform=edge, clip_on=False)
        weight = "bold" if name == "SemiPrivate" else "normal"
        axes.text(1.085, place, SHORT[name], transform=edge, va="center", fontsize=10.5, fontweight=weight)
