"""Data, masks and parameters for the comparison, drawn by hypothesis. Awkward on purpose: edges, repeats, ties."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

# In [0, 1]: dyadic edges and their neighbours, thirds, and a little outside.
VALUES = [
    0.0,
    0.25,
    0.5,
    0.75,
    1.0,
    1 / 3,
    2 / 3,
    0.1,
    0.9,
    math.nextafter(0.5, 0.0),
    math.nextafter(1.0, 0.0),
    -0.2,
    1.1,
]
EDGES = [0.0, 0.25, 0.5, 1.0]
BOUNDS = [(0.0, 1.0), (0.0, 1.0), (-2.0, 2.0), (10.0, 18.0), (0.1, 0.7), (-1e3, 5e-3)]
EPSILONS = [0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 64.0, 1024.0]
MASKS = {"aligned": ("none", "all", "same"), "personalised": ("nested", "random")}
SEEDS = st.integers(0, 2**32 - 1)


@dataclass(frozen=True, eq=False)
class Case:
    """People, their masks, and a study's parameters."""

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    mask: NDArray[np.bool_]
    bounds: tuple[tuple[float, float], ...]
    label_bounds: tuple[float, float]
    steps: int
    epsilon: float
    label_share: float
    hide_mask: bool
    n_histogram_features: int
    bins: int
    depth: int
    min_count: float | str
    seed: int


@st.composite
def cases(draw: st.DrawFn, masks: str, max_people: int = 80) -> Case:
    """Draw a case with aligned or personalised masks; two in three have 20 people or more, as `cart` needs."""
    d = draw(st.sampled_from([2, 3, 4, 1]))
    n = draw(st.integers(1, 19) | st.integers(20, max_people) | st.integers(max_people // 2, max_people))
    rng = np.random.default_rng(draw(SEEDS))
    bounds = tuple(draw(st.lists(st.sampled_from(BOUNDS), min_size=d, max_size=d)))
    low, high = np.array(bounds).T
    unit = draw_unit(draw, rng, n, d)
    label_bounds = draw(st.sampled_from([(0.0, 1.0), (-1.5, 4.0), (100.0, 101.0)]))
    return Case(
        X=low + unit * (high - low),
        y=draw_labels(draw, rng, unit, label_bounds),
        mask=draw_mask(draw, rng, n, d, MASKS[masks]),
        bounds=bounds,
        label_bounds=label_bounds,
        steps=draw(st.sampled_from([1, 5, 1024])),
        epsilon=draw(st.sampled_from(EPSILONS) | st.floats(0.1, 1024.0)),
        label_share=draw(st.sampled_from([0.1, 0.5, 0.7, 0.9])),
        hide_mask=draw(st.integers(0, 9)) == 9,
        n_histogram_features=draw(st.integers(0, d)),
        bins=draw(st.sampled_from([2, 3, 1])),
        depth=draw(st.sampled_from([3, 2, 1, 0])),
        min_count=draw(st.sampled_from(["auto", 0.0, 3.0, -1.0])),
        seed=draw(SEEDS),
    )


def draw_unit(draw: st.DrawFn, rng: np.random.Generator, n: int, d: int) -> NDArray[np.float64]:
    """Draw features on the scale of [0, 1]; a copied column makes splits that tie exactly."""
    if n <= 6:
        entries = draw(st.lists(st.sampled_from(VALUES), min_size=n * d, max_size=n * d))
        return np.array(entries).reshape(n, d)
    style = draw(st.sampled_from(["edges", "values", "uniform", "copied", "constant"]))
    unit = rng.choice(EDGES if style == "edges" else VALUES, (n, d))
    if style in ("uniform", "copied"):
        unit = rng.random((n, d))
    if style == "copied":
        unit[:] = unit[:, :1]
    if style == "constant":
        unit[:, : draw(st.integers(1, d))] = draw(st.sampled_from(VALUES))
    return unit


def draw_labels(
    draw: st.DrawFn, rng: np.random.Generator, unit: NDArray[np.float64], bounds: tuple[float, float]
) -> NDArray[np.float64]:
    """Draw labels: constant, at the two ends, on few points, following a feature, or a little out of bounds."""
    style = draw(st.sampled_from(["constant", "ends", "few", "follow", "outside"]))
    n = len(unit)
    level = {
        "constant": np.full(n, draw(st.sampled_from([0.0, 0.3, 1.0]))),
        "ends": rng.integers(0, 2, n).astype(float),
        "few": rng.integers(0, 5, n) / 4,
        "follow": (unit[:, -1] >= 0.5) * 0.75 + rng.random(n) / 4,
        "outside": rng.uniform(-0.1, 1.1, n),
    }[style]
    return bounds[0] + level * (bounds[1] - bounds[0])


def draw_mask(draw: st.DrawFn, rng: np.random.Generator, n: int, d: int, styles: tuple[str, ...]) -> NDArray[np.bool_]:
    """Draw masks: nobody hides, everybody hides all, all hide the same, or each person hides what they like."""
    style = draw(st.sampled_from(styles))
    if style in ("none", "all"):
        return np.full((n, d), style == "all")
    if style == "same":
        return np.tile(rng.random(d) < 0.5, (n, 1))
    if style == "nested":
        return np.arange(n)[:, None] * (np.arange(d) + 1) < n
    return rng.random((n, d)) < draw(st.sampled_from([0.3, 0.1, 0.6, 0.9]))
