"""What pictures have in common: colours, panels on axes that were passed, titles, ticks of a feature."""

from __future__ import annotations

import math
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from semildp._checks import short
from semildp.errors import refusal
from semildp.study import Category, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's palette: told apart with any colour vision.
BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, BLACK, GREY = "#CC79A7", "#56B4E9", "#000000", "#8C8C8C"
LINES = (BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY, BLACK)  # in this order
MARKS = ("o", "s", "^", "D", "v", "P", "X")  # lines differ in their marks too, for readers in black and white
COLOURS = "PuOr_r"  # from violet to orange: told apart with any colour vision; white is 0
LONGEST = 14  # letters of a value or of one of two names
_MOST_TICKS = 16  # values of a category that are written out
_NUMBER = "{x:,.10g}"  # how ticks are written
_ROOM = 36  # letters that fit below a panel side by side
_COLUMNS = 3  # panels in a row


def need_matplotlib(name: str) -> None:
    """Say how to install matplotlib if it is missing."""
    if find_spec("matplotlib") is None:
        raise ImportError(f"{name} needs matplotlib. Install it: pip install 'semildp[plots]'.")


def panels_on(ax: Any, count: int) -> list[Axes]:
    """Return so many axes: new ones, those that were passed, or parts of the one that was passed."""
    from matplotlib.axes import Axes

    columns = 2 if count == 4 else min(count, _COLUMNS)
    rows = math.ceil(count / columns)
    if ax is None:
        import matplotlib.pyplot as plt

        figure = plt.figure(figsize=(max(4.6 * columns, 5.6), 3.8 * rows), layout="constrained")
        return [figure.add_subplot(rows, columns, place + 1) for place in range(count)]
    given = [ax] if isinstance(ax, Axes) else list(np.ravel(np.asarray(ax, dtype=object)))
    if not given or not all(isinstance(each, Axes) for each in given):
        raise refusal("ax", "axes of matplotlib, or a list of them", short(ax))
    if len(given) == count:
        return given
    spec, parent = given[0].get_subplotspec(), given[0].figure
    if len(given) > 1 or spec is None:
        raise refusal("ax", f"one subplot, or {count} axes, one per panel", f"{len(given)} axes")
    given[0].set_axis_off()
    grid = spec.subgridspec(rows, columns)
    return [parent.add_subplot(grid[place // columns, place % columns]) for place in range(count)]


def head(panel: Axes, title: str, below: str) -> None:
    """Write a title, and how sure the panel is in a smaller line below it."""
    panel.set_title(title, loc="left", fontsize="medium", pad=18)
    panel.text(0.0, 1.02, below, transform=panel.transAxes, fontsize="small", color="#767676", va="bottom")


def mark_axis(panel: Axes, axis: str, feature: int, study: Study) -> None:
    """Label an axis: a category by its values, all or, if they are many, some; a number by a few ticks."""
    from matplotlib.ticker import FixedLocator, MaxNLocator, StrMethodFormatter

    domain, own = study.features[feature].domain, panel.xaxis if axis == "x" else panel.yaxis
    if not isinstance(domain, Category):
        letters = max(len(_NUMBER.format(x=x)) for x in MaxNLocator(5).tick_values(domain.low, domain.high))
        own.set_major_locator(MaxNLocator(3 if letters > _ROOM // 6 else 5))
        own.set_major_formatter(StrMethodFormatter(_NUMBER))
        return
    step = -(-len(domain.values) // _MOST_TICKS)
    shown = [shortened(value, LONGEST) for value in domain.values[::step]]
    own.set_major_locator(FixedLocator(range(0, len(domain.values), step)))
    own.set_ticklabels(shown)
    if axis == "x" and sum(len(text) + 2 for text in shown) > _ROOM:
        panel.tick_params(axis="x", labelrotation=90)


def feature_name(study: Study, feature: int) -> str:
    """Return a feature's name, shortened."""
    return shortened(study.names[feature], 2 * LONGEST)


def shortened(text: str, most: int) -> str:
    """Return the beginning and the end of a long text; no dollar sign is read as mathematics."""
    kept = text if len(text) <= most else f"{text[: most - 7]}…{text[-6:]}"
    return kept.replace("$", r"\$")
