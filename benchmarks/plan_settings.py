"""Settings that plans are tried on, and what a plan is told of each: numbers, computed from the function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_DRAWN, _BINS = 400_000, 100
_CHANCE = 0.005  # of what features of a kind explain: less is not taken for products
_SMALL = 1e-3  # of the function's variance: a feature with less has no effect


@dataclass(frozen=True)
class Setting:
    """A function, people and noise; the first `private` features are hidden by a share of the people."""

    formula: str
    function: Callable[..., Floats]  # of the columns
    n: int
    d: int
    private: int
    epsilon: float
    noise: float  # standard deviation
    shape: str = "smooth"
    hide: float = 1.0
    width: float = 6.0  # of the label bounds, in standard deviations of the label
    law: tuple[float, float] = (1.0, 1.0)  # of each feature, a beta distribution; (1, 1) is even

    def truth(self, X: Floats) -> Floats:
        """Return the function's values."""
        return np.asarray(self.function(*X.T), dtype=np.float64)

    def features(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw features."""
        return rng.beta(*self.law, size=(n, self.d))


# Written down before any of them was run, after `SEEN` had been seen and the plan changed.
SETTINGS = (
    Setting("x0 + x3 + x4 / 2", lambda *x: x[0] + x[3] + x[4] / 2, 2_000, 5, 1, 2.0, 0.5),
    Setting(
        "log(.3 + x0) + x1 / 2 + sin 1.5 x4 + x5",
        lambda *x: np.log(0.3 + x[0]) + x[1] / 2 + np.sin(1.5 * x[4]) + x[5],
        12_000, 8, 3, 2.0, 0.4,
    ),
    Setting(
        "[x0 > .6] + [x3 > .4] - [x4 > .7]",
        lambda *x: (x[0] > 0.6) + 1.0 * (x[3] > 0.4) - (x[4] > 0.7),
        20_000, 6, 1, 1.0, 0.7, "steps",
    ),
    Setting("x0 + 2 x3 + x4 x5", lambda *x: x[0] + 2 * x[3] + x[4] * x[5], 9_000, 7, 2, 1.5, 0.5),
    Setting("2 x0 x4 + x1 + x5", lambda *x: 2 * x[0] * x[4] + x[1] + x[5], 10_000, 6, 2, 3.0, 0.4),
    Setting("x0 + x1 + x2 + x3", lambda *x: x[0] + x[1] + x[2] + x[3], 5_000, 4, 2, 4.0, 1.0),
    Setting(
        "sqrt x0 + x2 + x3², 80 % hide",
        lambda *x: np.sqrt(x[0]) + x[2] + x[3] ** 2,
        15_000, 5, 2, 1.0, 0.4, hide=0.8,
    ),
    Setting(
        "exp x0 + x4 + x5 / 2, of Beta(2, 3)",
        lambda *x: np.exp(x[0]) + x[4] + x[5] / 2,
        6_000, 7, 1, 2.0, 0.4, law=(2.0, 3.0),
    ),
    Setting(
        "x0 + x1 / 2 + 2 x6, wide bounds",
        lambda *x: x[0] + x[1] / 2 + 2 * x[6],
        8_000, 9, 3, 2.0, 0.8, width=10.0,
    ),
    Setting(
        "[x0 > .4] + 2 [x1 > .5] + [x5 > .5]",
        lambda *x: (x[0] > 0.4) + 2.0 * (x[1] > 0.5) + (x[5] > 0.5),
        30_000, 8, 2, 2.0, 1.2, "steps",
    ),
    Setting("x0² + x2 + atan 2 x3", lambda *x: x[0] ** 2 + x[2] + np.arctan(2 * x[3]), 4_000, 5, 1, 4.0, 0.3),
    Setting("x0 x1 + x0 + x1 + x3", lambda *x: x[0] * x[1] + x[0] + x[1] + x[3], 25_000, 5, 2, 2.0, 0.5),
)  # fmt: skip

SEEN = (
    Setting("2 x0 + x1 + x2", lambda *x: 2 * x[0] + x[1] + x[2], 1_500, 5, 1, 3.0, 0.8),
    Setting(
        "sqrt x0 + log(.1 + x3) / 2 + x4, 90 % hide",
        lambda *x: np.sqrt(x[0]) + np.log(0.1 + x[3]) / 2 + x[4],
        8_000, 8, 2, 1.5, 0.4, hide=0.9,
    ),
    Setting(
        "[x0 > .45] + 2 [x2 > .6] + [x3 > .3]",
        lambda *x: (x[0] > 0.45) + 2.0 * (x[2] > 0.6) + (x[3] > 0.3),
        10_000, 5, 2, 2.0, 0.9, "steps",
    ),
    Setting("x0 + x1 + x2 + x5 + x6", lambda *x: x[0] + x[1] + x[2] + x[5] + x[6], 40_000, 10, 5, 1.0, 0.5),
    Setting("x0 x3 + x1 + x4", lambda *x: x[0] * x[3] + x[1] + x[4], 6_000, 6, 2, 4.0, 0.2),
    Setting("x0 + 2 x1 x2 + x4", lambda *x: x[0] + 2 * x[1] * x[2] + x[4], 3_000, 5, 1, 2.0, 0.5),
    Setting(
        "exp x0 - exp(-x2) + x3, of Beta(2, 2)",
        lambda *x: np.exp(x[0]) - np.exp(-x[2]) + x[3],
        12_000, 6, 1, 1.0, 0.3, law=(2.0, 2.0),
    ),
    Setting("3 x0 + x4, wide bounds", lambda *x: 3 * x[0] + x[4], 5_000, 5, 2, 2.0, 1.0, width=12.0),
    Setting("x0² + x1² + x2 / 2 + x6", lambda *x: x[0] ** 2 + x[1] ** 2 + x[2] / 2 + x[6], 25_000, 7, 3, 2.0, 0.4),
    Setting(
        "[x0 > .5] + [x1 > .5] + [x2 > .5] + [x3 > .5]",
        lambda *x: np.sum([each > 0.5 for each in x], axis=0),
        15_000, 4, 2, 4.0, 1.0, "steps",
    ),
    Setting(
        "atan 4 x0 + x2 + x3 + x4, 60 % hide",
        lambda *x: np.arctan(4 * x[0]) + x[2] + x[3] + x[4],
        9_000, 6, 1, 3.0, 0.5, hide=0.6,
    ),
    Setting(
        "x0 x1 + x2 + x3 + x4, of Beta(4, 2)",
        lambda *x: x[0] * x[1] + x[2] + x[3] + x[4],
        7_000, 8, 2, 3.0, 0.15, law=(4.0, 2.0),
    ),
)  # fmt: skip

# Effects that are high or low in the middle: how sharply, no number of a plan says.
BEYOND = (
    Setting(
        "1 / (1 + (4 x0 - 2)²) + sin(3 x3) / 3",
        lambda a, b, c, d, e: 1 / (1 + (4 * a - 2) ** 2) + np.sin(3 * d) / 3,
        5_000, 5, 2, 4.0, 0.3,
    ),
    Setting("(x0 - .5)² + x3 / 5", lambda a, b, c, d, e: (a - 0.5) ** 2 + d / 5, 5_000, 5, 2, 4.0, 0.1),
)  # fmt: skip


def told(setting: Setting) -> dict[str, Any]:
    """Return what a plan is told: shares of the label's variance, of bends and products, and how many features matter.

    E[f | x_j] is the mean of f in 100 bins of x_j; a line is fitted to it. What no E[f | x_j] explains is of products.
    """
    rng = np.random.default_rng(0)
    X = setting.features(_DRAWN, rng)
    f = setting.truth(X)
    effects, lines, sums = np.zeros(setting.d), np.zeros(setting.d), np.zeros(setting.d)
    for j in range(setting.d):
        other = X.copy()
        other[:, j] = setting.features(_DRAWN, rng)[:, j]
        sums[j] = np.mean((setting.truth(other) - f) ** 2) / 2  # alone and in products
        place = np.argsort(np.argsort(X[:, j])) * _BINS // _DRAWN
        mean = np.bincount(place, f) * (_BINS / _DRAWN)
        effects[j] = mean.var()
        lines[j] = np.corrcoef(X[:, j], mean[place])[0, 1] ** 2 * effects[j] if sums[j] > 0 else 0.0
    whole, label = float(f.var()), float(f.var()) + setting.noise**2
    private = _private_part(setting, X, f, rng)
    count = (sums > _SMALL * whole).astype(int)
    hidden = np.arange(setting.d) < setting.private
    return {
        "public_share": (whole - private) / label,
        "private_share": private / label,
        "shape": setting.shape,
        "bend": tuple(_bend(lines[kind & (count > 0)], effects[kind & (count > 0)]) for kind in (~hidden, hidden)),
        "together": (_products(effects[~hidden], whole - private), _products(effects[hidden], private)),
        "matter": (int(count[setting.private :].sum()), int(count[: setting.private].sum())),
        "hide": setting.hide,
        "width": setting.width,
        "spread": float(X.std(axis=0).mean()) if setting.law != (1.0, 1.0) else 0.29,
    }


def _bend(lines: Floats, effects: Floats) -> float:
    """Return the share of effects that is no line."""
    return float(np.clip(1 - lines.sum() / effects.sum(), 0.0, 1.0)) if effects.sum() > 0 else 0.0


def _products(effects: Floats, whole: float) -> float:
    """Return the share of what features of a kind explain that none of them explains alone; a little is chance."""
    return float(np.clip(1 - effects.sum() / whole, 0.0, 1.0)) if effects.sum() < (1 - _CHANCE) * whole else 0.0


def _private_part(setting: Setting, X: Floats, f: Floats, rng: np.random.Generator) -> float:
    """Return the variance that private features add: half the mean squared change when all of them are drawn anew."""
    other = X.copy()
    other[:, : setting.private] = setting.features(len(X), rng)[:, : setting.private]
    return float(np.mean((setting.truth(other) - f) ** 2) / 2)
