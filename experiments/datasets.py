"""The ten data sets of the paper, read from a folder of CSV files."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ENVIRONMENT_VARIABLE = "SEMILDP_DATA"
_SEX = {"M": 1.0, "F": 2.0, "I": 3.0}


class DataNotFoundError(Exception):
    """The data sets are not where they were looked for; the sentence says what to do."""


@dataclass(frozen=True)
class Recipe:
    """Which file, which target, which columns are left out, which rows are kept."""

    file: str
    target: str
    dropped: tuple[str, ...] = ()
    keep: Callable[[dict[str, str]], bool] = lambda row: True


RECIPES = {
    "ABA": Recipe("abalone.csv", "rings"),
    "AQU": Recipe("aquatic_toxicity.csv", "lc50"),
    "BUI": Recipe("residential_building.csv", "v9_sale_price", ("v10_construction_cost",)),
    "DAK": Recipe("istanbul_stock.csv", "ise_tl", ("date",)),
    "FIS": Recipe("fish_toxicity.csv", "lc50"),
    "MUS": Recipe("music_origin.csv", "latitude", ("longitude",)),
    "POR": Recipe("stock_portfolio.csv", "annual_return_norm", ("period",), lambda row: row["period"] == "0"),
    "PYR": Recipe("pyrimidines.csv", "activity"),
    "RED": Recipe("wine_red.csv", "quality"),
    "WHI": Recipe("wine_white.csv", "quality"),
}


@dataclass(frozen=True, eq=False)
class DataSet:
    """Features scaled to [0, 1] by the range of the whole column, labels, and the label's range, taken as public."""

    code: str
    X: Floats
    y: Floats

    @property
    def label_bounds(self) -> tuple[float, float]:
        """Range of the whole label column, taken as public (as the paper does by scaling)."""
        return float(self.y.min()), float(self.y.max())


def find_folder(given: str | None = None) -> Path:
    """Return the folder of the data sets: the one given, or the environment variable's."""
    place = given or os.environ.get(ENVIRONMENT_VARIABLE)
    if place and all((Path(place) / recipe.file).exists() for recipe in RECIPES.values()):
        return Path(place)
    looked = f"{place} lacks some of them" if place else "no folder was given"
    raise DataNotFoundError(
        f"The ten data sets are needed, and {looked}. Pass --data DIR or set {ENVIRONMENT_VARIABLE} to a folder with "
        f"{', '.join(sorted(recipe.file for recipe in RECIPES.values()))}. experiments/README.md says where they are."
    )


def load(code: str, folder: Path) -> DataSet:
    """Read one data set."""
    recipe = RECIPES[code]
    with open(folder / recipe.file, newline="") as file:
        rows = [row for row in csv.DictReader(file) if recipe.keep(row)]
    features = [name for name in rows[0] if name != recipe.target and name not in recipe.dropped]
    if code == "POR":  # the six weights; the other columns are further targets
        features = [name for name in features if name.startswith("w_")]
    table = np.array([[_SEX.get(row[name]) or float(row[name]) for name in features] for row in rows])
    low, high = table.min(axis=0), table.max(axis=0)
    scaled = (table - low) / np.where(high > low, high - low, 1.0)
    return DataSet(code, scaled, np.array([float(row[recipe.target]) for row in rows]))
