"""A small stand-in for the ten data sets, so that the experiments can be tested where the data are not."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

import experiments.data  # noqa: F401  (fills RECIPES)
from experiments.common.datasets import RECIPES

_SEXES = ["M", "F", "I"]


def write_standin(folder: Path, n_rows: int = 60) -> Path:
    """Write ten small CSV files with the right names, targets and quirks."""
    rng = np.random.default_rng(0)
    for code, recipe in RECIPES.items():
        features = ["w_a", "w_b", "w_c"] if code == "POR" else ["a", "b", "c"]
        if code == "ABA":
            features[0] = "sex"
        columns = [*recipe.dropped, *features, recipe.target]
        with open(folder / recipe.file, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            for i in range(n_rows):
                x = rng.uniform(size=3)
                values: dict[str, object] = dict(zip(features, x, strict=True))
                values[recipe.target] = 3 * x[1] + x[2] + 0.1 * rng.normal()
                values.update(dict.fromkeys(recipe.dropped, "2009-01-05" if code == "DAK" else i % 2))
                if code == "ABA":
                    values["sex"] = _SEXES[i % 3]
                writer.writerow([values[name] for name in columns])
    return folder
