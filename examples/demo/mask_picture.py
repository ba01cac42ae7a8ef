"""The mask picture: three ways in which people may choose what to hide."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from examples.demo.pictures import new_figure, save
from plots import BLUE, STYLE
from semildp import masks

N_PEOPLE, N_FEATURES = 100, 10
PUBLIC_COLOUR = "#E8EEF2"


def three_masks() -> dict[str, masks.Mask]:
    """Return the paper's three patterns for a hundred people with ten features."""
    return {
        "Aligned\neveryone hides the same": masks.first(N_PEOPLE, N_FEATURES, 2),
        "Concentrated\nfew hide more than one feature": masks.staircase(N_PEOPLE, N_FEATURES),
        "Heavy tailed\nevery feature is hidden by some": masks.heavy_tail(N_PEOPLE, N_FEATURES, 1.0),
    }


def draw_masks(out: Path) -> Path:
    """Draw the three masks side by side: people as rows, features as columns."""
    with mpl.rc_context(STYLE):
        figure = new_figure(12, 5.8)
        panels = figure.subplots(1, 3, sharey=True)
        edges = np.arange(N_FEATURES + 1) + 0.5
        for axes, (title, mask) in zip(panels, three_masks().items(), strict=True):
            axes.pcolormesh(edges, np.arange(N_PEOPLE + 1), mask, cmap=ListedColormap([PUBLIC_COLOUR, BLUE]), vmax=1)
            axes.vlines(edges[1:-1], 0, N_PEOPLE, color="white", linewidth=1.5)
            axes.hlines(range(1, N_PEOPLE), *edges[[0, -1]], color="white", linewidth=0.7)  # one row, one person
            for feature, share in enumerate(mask.mean(axis=0), start=1):
                axes.text(feature, -1.5, f"{share:.0%}", ha="center", va="bottom", fontsize=8.5)
            axes.set_title(title, loc="left", pad=20)
            axes.set_xticks(range(1, N_FEATURES + 1))
            axes.set_xlabel("Feature (on top: how many people hide it)")
            axes.tick_params(length=0)
            axes.spines[:].set_visible(False)
        panels[0].set_ylim(N_PEOPLE, 0)
        panels[0].set_ylabel("Person (one row each)")
        panels[0].set_yticks([0.5, 24.5, 49.5, 74.5, 99.5], ["1", "25", "50", "75", "100"])
        keys = [
            Patch(color=BLUE, label="private: stays with the person"),
            Patch(color=PUBLIC_COLOUR, label="public: is sent"),
        ]
        figure.legend(handles=keys, loc="outside lower center", ncols=2, frameon=False)
    return save(figure, out / "masks.png")
