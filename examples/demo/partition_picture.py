"""The partition picture: what the truth looks like, and what is learned of it from few and from many people."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from examples.demo.contest import EPSILONS, Size
from examples.demo.methods import hist_of_tree
from examples.demo.pictures import new_figure, save
from examples.demo.simulation import N_FEATURES, Floats, draw_people, truth
from plots import STYLE
from semildp import HistOfTreeRegressor

EPSILON = EPSILONS[-1]
ACROSS, UP = 0, 4  # a private and a public feature
ELSEWHERE = 0.25  # the value of the features that are not drawn
STEPS = 1024


def pictured_people(size: Size, n_people: int) -> tuple[Floats, Floats]:
    """Draw the people behind one of the pictured partitions."""
    return draw_people(n_people, np.random.default_rng([size.seed, n_people]))


def fit_pictured(size: Size) -> list[HistOfTreeRegressor]:
    """Fit HistOfTree, all automatic, on few and on many people."""
    return [hist_of_tree(EPSILON, size.seed).fit(*pictured_people(size, n_people)) for n_people in size.pictured]


def draw_partition(models: list[HistOfTreeRegressor], out: Path) -> Path:
    """Draw the truth and what each model predicts, over one private and one public feature."""
    with mpl.rc_context(STYLE):
        figure = new_figure(12, 5.2)
        panels = figure.subplots(1, 1 + len(models))
        grid = np.linspace(0, 1, 201)
        middle = (grid[1:] + grid[:-1]) / 2
        smooth = truth(_slice_points(middle, middle)).reshape(len(middle), -1)
        scale = (float(smooth.min()), float(smooth.max()))
        mesh = panels[0].pcolormesh(grid, grid, smooth, cmap="viridis", vmin=scale[0], vmax=scale[1], rasterized=True)
        panels[0].set_title(f"The truth, which nobody sees\n(features 2, 3 and 4 held at {ELSEWHERE})", loc="left")
        for axes, model in zip(panels[1:], models, strict=True):
            _draw_cells(axes, model, scale)
        for axes in panels:
            how = ("", "") if axes is panels[0] else (": cut in equal bins", ": cut by the tree")
            axes.set_xlabel(f"Feature 1 (private){how[0]}")
            axes.set_ylabel(f"Feature 5 (public){how[1]}")
            axes.set_aspect("equal")
        words = "Mean label: true on the left, predicted in each cell on the others"
        figure.colorbar(mesh, ax=panels, label=words, location="bottom", shrink=0.6, aspect=45)
    return save(figure, out / "partition.png")


def _draw_cells(axes: Axes, model: HistOfTreeRegressor, scale: tuple[float, float]) -> None:
    """Draw the cells of one model that meet the slice, with their borders and predictions."""
    across, up = edges_along(model, ACROSS), edges_along(model, UP)
    x, y = (across[1:] + across[:-1]) / 2, (up[1:] + up[:-1]) / 2
    values = model.predict(_slice_points(x, y)).reshape(len(y), len(x))
    axes.pcolormesh(across, up, values, cmap="viridis", vmin=scale[0], vmax=scale[1], edgecolors="white", linewidth=2)
    for j, i in np.ndindex(values.shape):
        ink = "black" if values[j, i] > (scale[0] + scale[1]) / 2 else "white"
        axes.text(float(x[i]), float(y[j]), f"{values[j, i]:.2f}", ha="center", va="center", color=ink, fontsize=11)
    n_people = sum(group.n_people for group in model.privacy_.groups)
    n_cells = model.partition_.n_cells
    axes.set_title(
        f"Learned from {n_people:,} people\n({n_cells} cells in all, {values.size} on this slice)", loc="left"
    )
    axes.set_xticks(across, [f"{edge:.2g}" for edge in across])
    axes.set_yticks(up, [f"{edge:.2g}" for edge in up])


def edges_along(model: HistOfTreeRegressor, feature: int) -> Floats:
    """Return where the partition is cut along one feature of the slice, both ends included."""
    line = np.linspace(0, 1, STEPS + 1)
    points = np.full((len(line), N_FEATURES), ELSEWHERE)
    points[:, feature] = line
    cut = np.flatnonzero(np.diff(model.partition_.cell(points))) + 1
    return np.concatenate([[0.0], line[cut], [1.0]])


def _slice_points(across: Floats, up: Floats) -> Floats:
    """Return the points of a grid over the two drawn features, row by row from the bottom."""
    points = np.full((len(up) * len(across), N_FEATURES), ELSEWHERE)
    points[:, ACROSS] = np.tile(across, len(up))
    points[:, UP] = np.repeat(up, len(across))
    return points
