"""Time and error of the default learner: python -m benchmarks.learner [--repeats R] [--errors] [--million].

Times are beside `HistGradientBoostingRegressor()` on the same data in the same run. With --errors: squared error over
the function's variance, from label reports alone (all features public, label noise 0.7, bounds: range of the function
and 1 more on either side).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

from semildp._arrays import Floats
from semildp.curator.label_noise import noisy_labels
from semildp.curator.learning import NoisyLabelAverage
from semildp.mechanisms import WindowResponse, label_grid
from semildp.sources import SeededSource

NOISE = 0.7
FUNCTIONS: dict[str, Callable[[Floats], Any]] = {
    "sum of sines": lambda X: np.sin(X[:, 0]) + np.sin(X[:, 1]) + np.sin(X[:, 4]),
    "waves": lambda X: np.sin(6 * X[:, 0]) + 0.5 * np.cos(9 * X[:, 1]),
    "U-shape": lambda X: 4 * (X[:, 0] - 0.5) ** 2,
    "linear": lambda X: X[:, 0] + X[:, 1] - X[:, 2],
    "steps": lambda X: (X[:, 0] > 0.3) + 0.5 * (X[:, 1] > 0.6) - 0.5 * (X[:, 2] > 0.8),
    "x1 * 1{x2 > .5}": lambda X: X[:, 0] * (X[:, 1] > 0.5),
    "x1 * x2": lambda X: X[:, 0] * X[:, 1],
    "centred product": lambda X: 4 * (X[:, 0] - 0.5) * (X[:, 1] - 0.5),
    "xor": lambda X: 1.0 * ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)),
    "xor at .3, .7": lambda X: 1.0 * ((X[:, 0] > 0.3) ^ (X[:, 1] > 0.7)),
    "three-way": lambda X: (X[:, 0] > 0.4) * (X[:, 1] > 0.4) * (1 + X[:, 2]),
    "x1 * x2 * x3": lambda X: 8 * X[:, 0] * X[:, 1] * X[:, 2],
    "bump": lambda X: np.exp(-12 * ((X[:, 0] - 0.4) ** 2 + (X[:, 1] - 0.6) ** 2)),
    "product and ridge": lambda X: X[:, 0] * X[:, 1] + np.abs(X[:, 2] - X[:, 3]),
}


def reports(f: Callable[[Floats], Any], X: Floats, epsilon: float, rng: np.random.Generator) -> Floats:
    """Return everybody's noisy label."""
    shape = f(rng.uniform(size=(20_000, X.shape[1])))
    low, high = float(shape.min()) - 1, float(shape.max()) + 1
    grid, source = label_grid("window", low, high, epsilon), SeededSource(int(rng.integers(2**40)))
    labels = np.clip(f(X) + NOISE * rng.normal(size=len(X)), low, high)
    points = grid.encode_at_random(labels, source.words(len(X)))
    sent = WindowResponse(epsilon, grid.steps).randomise(points, source)
    return noisy_labels("window", grid, epsilon, sent)[0]


def error(f: Callable[[Floats], Any], n_people: int, epsilon: float, seed: int) -> float:
    """Return the squared error of one fit over the function's variance."""
    rng = np.random.default_rng([seed, n_people])
    X, fresh = rng.uniform(size=(n_people, 5)), rng.uniform(size=(4000, 5))
    model = NoisyLabelAverage().fit(X, reports(f, X, epsilon, rng))
    return float(np.mean((model.predict(fresh) - f(fresh)) ** 2) / f(fresh).var())


def print_errors(repeats: int) -> None:
    """Print mean and standard error for every function, number of people and epsilon."""
    for name, f in FUNCTIONS.items():
        for n_people in (300, 1000, 10_000):
            cells = []
            for epsilon in (1.0, 2.0, 4.0):
                errors = [error(f, n_people, epsilon, seed) for seed in range(repeats)]
                cells.append(f"{np.mean(errors):.3f} ± {np.std(errors) / np.sqrt(repeats):.3f}")
            print(f"{name:18} n = {n_people:>6,}  " + "   ".join(cells), flush=True)


def print_times(sizes: list[tuple[int, int]], repeats: int) -> None:
    """Time fits in turn, so that a busy machine slows all of them alike, and print medians and ratios."""
    fits: dict[str, Callable[[], Any]] = {
        "HistGradientBoostingRegressor()": HistGradientBoostingRegressor,
        "NoisyLabelAverage()": NoisyLabelAverage,
        "NoisyLabelAverage(rough=True)": lambda: NoisyLabelAverage(rough=True),
    }
    for n_people, n_columns in sizes:
        rng = np.random.default_rng(0)
        X = rng.uniform(size=(n_people, n_columns))
        y = np.sin(X[:, 0]) + X[:, 1] * (X[:, 2] > 0.5) + 2 * rng.normal(size=n_people)
        seconds: dict[str, list[float]] = {name: [] for name in fits}
        for _ in range(repeats):
            for name, make in fits.items():
                start = time.perf_counter()
                make().fit(X, y)
                seconds[name].append(time.perf_counter() - start)
        reference = median(next(iter(seconds.values())))
        print(f"n = {n_people:,}, d = {n_columns}; median of {repeats}, in turn")
        for name, taken in seconds.items():
            print(f"  {name:34} {median(taken):8.3f} s  x {median(taken) / reference:.2f}", flush=True)


def main() -> None:
    """Print times, or errors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--errors", action="store_true")
    parser.add_argument("--million", action="store_true")
    options = parser.parse_args()
    if options.errors:
        print_errors(options.repeats)
    else:
        print_times([(10_000, 5), (100_000, 10)] + [(1_000_000, 10)] * options.million, options.repeats)


if __name__ == "__main__":
    main()
