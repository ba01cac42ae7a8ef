"""What all pictures share: colours that colour-blind readers can tell apart, fonts, and how they are saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

# Okabe and Ito's palette.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#666666"

STYLE: dict[Any, Any] = {
    "font.size": 11,
    "axes.titlesize": 12,
    "axes.labelsize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "semildp",  # the same picture gives the same file
}


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure on white, whatever the page's background."""
    return Figure(figsize=(width, height), facecolor="white", layout="compressed")


def save(figure: Figure, path: Path) -> Path:
    """Write a figure without a date, so that a run can be repeated byte for byte."""
    with mpl.rc_context(STYLE):
        figure.savefig(path, dpi=160, metadata={"Date": None} if path.suffix == ".svg" else None)
    return path
