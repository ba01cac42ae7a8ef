"""Data sets: how a CSV file is read, where the files are, and the list that files in `data/` add to."""

from __future__ import annotations

import csv
import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ENVIRONMENT_VARIABLE = "SEMILDP_DATA"


class DataNotFoundError(Exception):
    """The data sets are not where they were looked for; the sentence says what to do."""


@dataclass(frozen=True)
class Recipe:
    """How a CSV file becomes a data set.

    Parameters
    ----------
    file, target
        The file's name and the label's column.
    dropped
        Columns that are left out.
    keep
        Which rows are kept.
    prefix
        How the names of features begin.
    codes
        Numbers for the words in the file.
    """

    file: str
    target: str
    dropped: tuple[str, ...] = ()
    keep: Callable[[dict[str, str]], bool] = lambda row: True
    prefix: str = ""
    codes: Mapping[str, float] = field(default_factory=dict)


RECIPES: dict[str, Recipe] = {}  # by the code that tables show; filled by the files in data/


def data_set(code: str, recipe: Recipe) -> None:
    """Add a data set to the tables; two cannot have the same code."""
    if code in RECIPES:
        raise ValueError(f"There is a data set {code!r} already, in {RECIPES[code].file}. Choose another code.")
    RECIPES[code] = recipe


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

    @property
    def digest(self) -> str:
        """SHA-256 of the numbers: it changes with the file and with the recipe."""
        return hashlib.sha256(repr(self.X.shape).encode() + self.X.tobytes() + self.y.tobytes()).hexdigest()


def find_folder(given: str | None = None) -> Path:
    """Return the folder of the data sets: the one given, or the environment variable's."""
    place = given or os.environ.get(ENVIRONMENT_VARIABLE)
    if place and all((Path(place) / recipe.file).exists() for recipe in RECIPES.values()):
        return Path(place)
    looked = f"{place} lacks some of them" if place else "no folder was given"
    raise DataNotFoundError(
        f"{len(RECIPES)} data sets are needed, and {looked}. Pass --data DIR or set {ENVIRONMENT_VARIABLE} to a folder "
        f"with {', '.join(sorted(recipe.file for recipe in RECIPES.values()))}. "
        "experiments/README.md says where they are."
    )


@lru_cache(maxsize=16)
def load(code: str, folder: Path) -> DataSet:
    """Read one data set."""
    recipe = RECIPES[code]
    with open(folder / recipe.file, newline="") as file:
        rows = [row for row in csv.DictReader(file) if recipe.keep(row)]
    left_out = {recipe.target, *recipe.dropped}
    features = [name for name in rows[0] if name not in left_out and name.startswith(recipe.prefix)]
    table = np.array([[_number(row[name], recipe.codes) for name in features] for row in rows])
    low, high = table.min(axis=0), table.max(axis=0)
    scaled = (table - low) / np.where(high > low, high - low, 1.0)
    return DataSet(code, scaled, np.array([float(row[recipe.target]) for row in rows]))


def _number(text: str, codes: Mapping[str, float]) -> float:
    return codes[text] if text in codes else float(text)
