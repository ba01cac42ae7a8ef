"""Fit time beside scikit-learn's decision tree, in one run: python -m benchmarks.fit [--people N] [--repeats R]."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from statistics import median

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from semildp import HistOfTreeRegressor

LABEL_BOUNDS = (-2.0, 4.5)


def main() -> None:
    """Time the fits in turn, so that a busy machine slows all of them alike, and print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()

    rng = np.random.default_rng(0)
    X = rng.uniform(size=(options.people, 10))
    y = np.sin(X[:, 0]) + np.sin(X[:, 1]) + np.sin(X[:, 4]) + rng.normal(size=options.people)
    y = np.clip(y, *LABEL_BOUNDS)

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

    runs: dict[str, Callable[[], object]] = {
        "DecisionTreeRegressor(max_depth=6)": lambda: DecisionTreeRegressor(max_depth=6).fit(X, y),
        "max-edge, grr": ours(None),
        "max-edge, grr, seeded": ours(0),
        "max-edge, rr": ours(None, cell_mechanism="rr"),
        "cart, grr": ours(None, splitter="cart"),
        "random, grr": ours(None, splitter="random"),
    }
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(options.repeats):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    reference = median(seconds["DecisionTreeRegressor(max_depth=6)"])
    print(f"n = {options.people:,}, d = 10, p = 6, t = 2, s = 2; median of {options.repeats}, in turn")
    for name, times in seconds.items():
        print(f"{name:36} {median(times):8.3f} s   {median(times) / reference:6.2f} of the tree's time")


if __name__ == "__main__":
    main()
