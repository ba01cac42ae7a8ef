"""Settings that plans are tried on, and what a plan is told of each: numbers, computed from the function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_DRAWN, _BINS = 400_000, 100
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
    draw: str = "uniform"

    def truth(self, X: Floats) -> Floats:
        """Return the function's values."""
        return np.asarray(self.function(*X.T), dtype=np.float64)

    def features(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw features."""
        size = (n, self.d)
        return rng.beta(2.0, 4.0, size=size) if self.draw == "beta" else rng.uniform(size=size)


SETTINGS = (
    Setting("x0 + sin 2 x1 + x4", lambda a, b, c, d, e: a + np.sin(2 * b) + e, 10_000, 5, 2, 2.0, 1.0),
    Setting("atan 2 x0 + x1 + x2", lambda a, b, c, *_: np.arctan(2 * a) + b + c, 30_000, 6, 1, 1.0, 0.4),
    Setting("x0² + sqrt(x3)", lambda a, b, c, d, e: a**2 + np.sqrt(d), 5_000, 5, 2, 4.0, 0.3),
    Setting("x0^.7 + exp(1.5 x2) / 2", lambda a, b, c: a**0.7 + np.exp(1.5 * c) / 2, 1_000, 3, 1, 4.0, 0.4),
    Setting(
        "[x0 > .45] + [x3 > .55]", lambda a, b, c, d, *_: (a > 0.45) + 1.0 * (d > 0.55), 2_000, 6, 1, 2.0, 0.5, "steps"
    ),
    Setting(
        "[x0 > .4] + [x5 > .5] + [x8 > .3]",
        lambda *x: (x[0] > 0.4) + 1.0 * (x[5] > 0.5) + (x[8] > 0.3),
        20_000, 12, 3, 1.0, 0.7, "steps",
    ),
    Setting("x0 x3 + x3 x5 + x6 / 2", lambda *x: x[0] * x[3] + x[3] * x[5] + x[6] / 2, 12_000, 7, 1, 4.0, 0.3),
    Setting(
        "x0 + x1 x2 + 3 x2 x4, 70 % hide",
        lambda a, b, c, d, e: a + b * c + 3 * c * e,
        6_000, 5, 2, 2.0, 0.6, hide=0.7,
    ),
    Setting(
        "x0 + log(.1 + x3) + x5, 90 % hide",
        lambda *x: x[0] + np.log(0.1 + x[3]) + x[5],
        3_000, 10, 3, 4.0, 0.8, hide=0.9,
    ),
    Setting("x0 + x1 + ... + x9", lambda *x: sum(x), 10_000, 10, 4, 4.0, 1.0),
    Setting(
        "2 x0 + 5 x8 + 4 sqrt x9, wide bounds",
        lambda *x: 2 * x[0] + 5 * x[8] + 4 * np.sqrt(x[9]),
        8_000, 15, 2, 1.0, 1.0, width=12.0,
    ),
    Setting("x0 + x2 + x3, of Beta(2, 4)", lambda a, b, c, d: a + c + d, 15_000, 4, 1, 1.0, 0.3, draw="beta"),
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
    keep = effects[count > 0]
    return {
        "public_share": (whole - private) / label,
        "private_share": private / label,
        "shape": setting.shape,
        "bend": float(np.clip(1 - lines[count > 0].sum() / keep.sum(), 0.0, 1.0)) if setting.shape == "smooth" else 0.0,
        "together": float(np.clip(1 - keep.sum() / whole, 0.0, 1.0)) if keep.sum() < 0.98 * whole else 0.0,
        "matter": (int(count[setting.private :].sum()), int(count[: setting.private].sum())),
        "hide": setting.hide,
        "width": setting.width,
    }


def _private_part(setting: Setting, X: Floats, f: Floats, rng: np.random.Generator) -> float:
    """Return the variance that private features add: half the mean squared change when all of them are drawn anew."""
    other = X.copy()
    other[:, : setting.private] = setting.features(len(X), rng)[:, : setting.private]
    return float(np.mean((setting.truth(other) - f) ** 2) / 2)
