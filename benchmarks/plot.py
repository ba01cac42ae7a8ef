"""The picture: time and peak memory of a fit against the number of people, on logarithmic axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.ticker import NullFormatter

from benchmarks.contenders import CONTENDERS, Case
from benchmarks.racing import Measured
from plots import BLACK, BLUE, GREY, ORANGE, PURPLE, STYLE, VERMILION, spread_out
from semildp._arrays import Floats

# colour, line, marker: told apart in grey too; ours are solid
LOOKS: dict[str, tuple[str, Any, str]] = {
    "paper": (BLUE, "-", "o"),
    "personal": (BLUE, (0, (6, 2)), "s"),
    "semi": (VERMILION, "-", "D"),
    "tree": (BLACK, ":", "^"),
    "histogram-tree": (GREY, "--", "v"),
    "boosting": (PURPLE, "-.", "P"),
}
NAMES = {
    "paper": "paper's method",
    "personal": "paper's method,\npersonal masks",
    "semi": "SemiPrivateRegressor",
    "tree": "DecisionTree, depth 6",
    "histogram-tree": "one HistGradient-\nBoosting tree",
    "boosting": "HistGradientBoosting",
}
GAP = 0.1  # between names, as a share of the axis' height


def draw(results: Sequence[Measured], path: Path) -> None:
    """Draw both panels and write them to a file."""
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    usual = [m for m in results if m.case == Case(m.case.method, m.case.n)]
    with plt.rc_context(STYLE):
        figure, (left, right) = plt.subplots(1, 2, figsize=(12.5, 4.8), facecolor="white")
        _panel(left, usual, lambda m: m.typical)
        left.set_title("Seconds of a fit", loc="left")
        _panel(right, usual, lambda m: max(m.peak, 1 << 20) / 2**20)
        right.set_title("Peak memory of a fit above its input, MiB", loc="left")
        sizes = np.array(sorted({m.case.n for m in usual}))
        inputs = {m.case.n: m.input / 2**20 for m in usual if m.case.method == "paper"}
        right.plot(sizes, [inputs[n] for n in sizes], color=ORANGE, linewidth=6, alpha=0.35, zorder=0)
        right.text(0.98, 0.04, "pale band: the input itself", transform=right.transAxes, ha="right", color="#8A5A00")
        figure.tight_layout()
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=110, metadata={"Software": None})
        plt.close(figure)


def _panel(axes: Any, results: Sequence[Measured], value: Callable[[Measured], float]) -> None:
    """Draw a line per estimator, with its name at its end."""
    lines = {
        name: sorted((m.case.n, value(m)) for m in results if m.case.method == name)
        for name in CONTENDERS
        if any(m.case.method == name for m in results)
    }
    axes.set_xscale("log")
    axes.set_yscale("log")
    for name, points in lines.items():
        colour, style, marker = LOOKS[name]
        axes.plot(*zip(*points, strict=True), color=colour, linestyle=style, marker=marker, markersize=6, linewidth=1.8)
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("people")
    axes.grid(True, which="major", color="#DDDDDD", linewidth=0.7)
    axes.set_axisbelow(True)
    low, high = np.log(axes.get_ylim())
    names = list(lines)
    ends = np.array([(np.log(lines[name][-1][1]) - low) / (high - low) for name in names])
    for name, end, height in zip(names, ends, _apart(ends), strict=True):
        colour = LOOKS[name][0]
        axes.annotate(
            NAMES[name],
            (lines[name][-1][0], np.exp(low + end * (high - low))),
            (1.03, height),
            textcoords=axes.transAxes,
            color=colour,
            fontsize=10,
            va="center",
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "linewidth": 0.6,
                "shrinkA": 1,
                "shrinkB": 5,
                "relpos": (0, 0.5),
            },
        )


def _apart(ends: Floats) -> Floats:
    """Return heights for names beside the ends of lines, moved apart, within the axis."""
    heights = spread_out(ends, GAP)
    return heights if heights.max() <= 1 else 1 - spread_out(1 - ends, GAP)
