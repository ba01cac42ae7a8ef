"""The audit as one picture: what is claimed, what the probabilities say, what could be proven."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from semildp.audit.show.report import Audited
from semildp.errors import InputError, refusal

# Okabe and Ito's palette; the marks differ in shape too, for readers in black and white.
ENDINGS = (".png", ".svg", ".pdf")
BLACK, BLUE, GREEN, VERMILION = "#000000", "#0072B2", "#009E73", "#D55E00"
STYLE: dict[Any, Any] = {
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "svg.hashsalt": "semildp",
}


def check_plot(path: Path) -> bool:
    """Refuse, before anything long is done, a place that cannot be written; say so where matplotlib is missing."""
    if path.suffix.lower() not in ENDINGS:
        raise refusal("--plot", "a file that ends in " + ", ".join(ENDINGS), repr(str(path)))
    if not path.absolute().parent.is_dir():
        raise refusal("--plot", "in a folder that exists", repr(str(path)))
    if find_spec("matplotlib") is None:
        print("The plot needs matplotlib and is left out: pip install 'semildp[plots]'.", file=sys.stderr)
        return False
    return True


def plot_audit(audited: Sequence[Audited], path: Path) -> None:
    """Draw one line per mechanism or visit; the ending of `path` says in which format. Needs matplotlib."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 1.9 + 0.36 * len(audited)), facecolor="white", layout="constrained")
        FigureCanvasAgg(figure)
        _draw(figure.add_subplot(), audited)
        figure.legend(loc="outside lower center", ncols=4, frameon=False)
        try:
            figure.savefig(path, dpi=160)
        except OSError as problem:
            raise InputError(f"The plot could not be written to {path}: {problem.strerror or problem}.") from None


def _draw(axes: Any, rows: Sequence[Audited]) -> None:
    audited = [row for row in rows if row.bound.trials]
    places = range(len(audited))
    finite = [x for row in audited for x in (row.claimed, row.bound.epsilon, row.exact or 0.0) if math.isfinite(x)]
    limit = 1.12 * max(finite)
    for place, row in zip(places, audited, strict=True):
        axes.plot([0, row.bound.epsilon], [place, place], color="0.75", linewidth=5, solid_capstyle="butt", zorder=1)
        axes.annotate(
            f"{100 * row.reached:.0f} %", (1.0, place), xycoords=("axes fraction", "data"), va="center", ha="left"
        )
    claimed = [row.claimed for row in audited]
    axes.plot(claimed, places, "|", color=BLACK, markersize=20, markeredgewidth=2, label="claimed", zorder=2)
    stated = [(row.exact, place) for place, row in zip(places, audited, strict=True) if row.exact is not None]
    _marks(axes, [(min(x, limit), y) for x, y in stated], "o", BLUE, "exact, from stated probabilities", hollow=True)
    proven = [(row.bound.epsilon, place, row.ok) for place, row in zip(places, audited, strict=True)]
    _marks(axes, [(x, y) for x, y, ok in proven if ok], "D", GREEN, "proven from outside")
    _marks(axes, [(x, y) for x, y, ok in proven if not ok], "X", VERMILION, "proven; VIOLATION")
    names = [row.name if row.ok else f"{row.name} (!)" for row in audited]
    axes.set_yticks(list(places), names)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(audited) - 0.5, -0.5)
    axes.set_xlim(0, limit)
    axes.set_xlabel("ε     (right: proven as a share of claimed)")
    axes.grid(axis="x", color="0.9")
    axes.set_axisbelow(True)
    axes.set_title("Is ε kept? Exact ratio, and what an outsider could prove", loc="left", fontsize=12)


def _marks(
    axes: Any, points: list[tuple[float, int]], mark: str, colour: str, label: str, *, hollow: bool = False
) -> None:
    if points:
        x, y = zip(*points, strict=True)
        face = "none" if hollow else colour
        size = 11 if hollow else 7
        axes.plot(x, y, mark, color=colour, markerfacecolor=face, markersize=size, label=label, zorder=3, clip_on=False)
