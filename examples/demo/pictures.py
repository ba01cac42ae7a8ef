"""How all pictures of the demo begin and are saved."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from plots import STYLE


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure on white, whatever the page's background."""
    return Figure(figsize=(width, height), facecolor="white", layout="compressed")


def save(figure: Figure, path: Path) -> Path:
    """Write a figure without a date, so that a run can be repeated byte for byte."""
    with mpl.rc_context(STYLE):
        figure.savefig(path, dpi=160, metadata={"Date": None} if path.suffix == ".svg" else None)
    return path
