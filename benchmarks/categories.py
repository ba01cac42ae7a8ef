"""A private feature with six values: sent as a category, or coded as a number from 0 to 5.

    python -m benchmarks.categories

Squared error against the true function with 10,000 people and epsilon = 2, means over 20 seeds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from semildp import HistOfTreeRegressor, SemiPrivateRegressor

COLOURS = ["red", "green", "blue", "grey", "pink", "teal"]
PLACES = np.linspace(-1.0, 1.0, 6)
BOUNDS: dict[str, Any] = {"a": (0, 1), "b": (0, 1)}
METHODS: dict[str, Any] = {
    "SemiPrivateRegressor": SemiPrivateRegressor,
    "HistOfTreeRegressor": HistOfTreeRegressor,
    "HistOfTreeRegressor.paper": HistOfTreeRegressor.paper,
}
EFFECTS: dict[str, Callable[[np.random.Generator], Any]] = {
    "shuffled": lambda rng: rng.permutation(PLACES),
    "linear": lambda rng: PLACES,
    "monotone": lambda rng: np.sort(rng.uniform(-1.0, 1.0, size=6)),
    "none": lambda rng: np.zeros(6),
}


def people(n: int, effects: Any, rng: np.random.Generator) -> tuple[pd.DataFrame, Any, Any]:
    """Return features with the category's code, labels, and the true function."""
    frame = pd.DataFrame({"a": rng.uniform(size=n), "b": rng.uniform(size=n), "colour": rng.integers(6, size=n)})
    true = frame["a"].to_numpy() - 0.5 + effects[frame["colour"]]
    return frame, np.clip(true + rng.normal(size=n) / 2, -3, 3), true


def squared_error(method: str, effects: str, category: bool, seed: int, **parameters: Any) -> float:
    """Fit one population and return the squared error against the true function on another."""
    rng = np.random.default_rng([seed, len(effects)])
    of_value = EFFECTS[effects](rng)
    (X, y, _), (fresh, _, true) = people(10_000, of_value, rng), people(4000, of_value, rng)
    domain: Any = (0, 5)
    if category:
        X, fresh = (table.assign(colour=np.array(COLOURS)[table["colour"]]) for table in (X, fresh))
        domain = COLOURS
    model = METHODS[method](
        2.0,
        label_bounds=(-3, 3),
        feature_bounds={**BOUNDS, "colour": domain},
        private_features=["colour"],
        random_state=seed,
        **parameters,
    )
    return float(np.mean((model.fit(X, y).predict(fresh) - true) ** 2))


def main() -> None:
    """Print the table."""
    print(f"{'effects':>10}  {'method':<26}  {'category':>9}  {'number':>9}  {'ratio':>6}")
    for effects in EFFECTS:
        for method in METHODS:
            category, number = (
                float(np.mean([squared_error(method, effects, kind, seed) for seed in range(20)]))
                for kind in (True, False)
            )
            print(f"{effects:>10}  {method:<26}  {category:9.5f}  {number:9.5f}  {category / number:6.2f}")


if __name__ == "__main__":
    main()
