"""Fit times beside scikit-learn's, in one run: python -m benchmarks.fit [--people N] [--repeats R] [--semi-private].

The paper's method beside a decision tree; with --semi-private, `SemiPrivateRegressor` with defaults beside
`HistGradientBoostingRegressor` with defaults and without privacy.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from statistics import median

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.tree import DecisionTreeRegressor

from semildp import HistOfTreeRegressor, SemiPrivateRegressor
from semildp._arrays import Floats

LABEL_BOUNDS = (-2.0, 4.5)
Runs = dict[str, Callable[[], object]]


def paper(X: Floats, y: Floats) -> Runs:
    """Return fits of the paper's method, the decision tree first."""

    def ours(source: int | None, splitter: str = "max-edge", cell_mechanism: str = "grr") -> Callable[[], object]:
        model = HistOfTreeRegressor.paper(
            2.0,
            label_bounds=LABEL_BOUNDS,
            feature_bounds=(0.0, 1.0),
            private_features=[0, 1],
            n_histogram_features=2,
            depth=6,
            bins=2,
            splitter=splitter,
            cell_mechanism=cell_mechanism,
            random_state=source,
        )
        return lambda: model.fit(X, y)

    return {
        "DecisionTreeRegressor(max_depth=6)": lambda: DecisionTreeRegressor(max_depth=6).fit(X, y),
        "max-edge, grr": ours(None),
        "max-edge, grr, seeded": ours(0),
        "max-edge, rr": ours(None, cell_mechanism="rr"),
        "cart, grr": ours(None, splitter="cart"),
        "random, grr": ours(None, splitter="random"),
    }


def semi_private(X: Floats, y: Floats) -> Runs:
    """Return fits with defaults, scikit-learn's first."""

    def ours(epsilon: float) -> Callable[[], object]:
        model = SemiPrivateRegressor(
            epsilon, label_bounds=LABEL_BOUNDS, feature_bounds=(0.0, 1.0), private_features=[0, 1]
        )
        return lambda: model.fit(X, y)

    return {
        "HistGradientBoostingRegressor()": lambda: HistGradientBoostingRegressor().fit(X, y),
        **{f"SemiPrivateRegressor({epsilon:g})": ours(epsilon) for epsilon in (1.0, 4.0)},
    }


def main() -> None:
    """Time the fits in turn, so that a busy machine slows all of them alike, and print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=100_000)
    parser.add_argument("--features", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--semi-private", action="store_true")
    options = parser.parse_args()

    rng = np.random.default_rng(0)
    X = rng.uniform(size=(options.people, options.features))
    y = np.sin(X[:, 0]) + np.sin(X[:, 1]) + np.sin(X[:, 4]) + rng.normal(size=options.people)
    runs = (semi_private if options.semi_private else paper)(X, np.clip(y, *LABEL_BOUNDS))
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(options.repeats):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    first = next(iter(runs))
    print(f"n = {options.people:,}, d = {options.features}; two private features; median of {options.repeats}, in turn")
    for name, times in seconds.items():
        print(f"{name:36} {median(times):8.3f} s   {median(times) / median(seconds[first]):6.2f} of the first's time")


if __name__ == "__main__":
    main()
