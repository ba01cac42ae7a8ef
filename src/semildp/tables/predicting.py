"""What a model predicts for the people of a CSV file, written as a CSV file."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import numpy as np

from semildp._arrays import Floats
from semildp.errors import InputError
from semildp.models import Model
from semildp.study import Classes
from semildp.tables.coding import Coder, Remarks
from semildp.tables.csv_table import open_table, quoted

ADDED = ("prediction", "standard_deviation")  # columns that predictions are written to


def added_columns(model: Model) -> tuple[str, ...]:
    """Return the columns that predictions are written to; of classes, the likeliest and the probability of each."""
    if model.study.label is None:
        return ("log_density",)
    if isinstance(model.study.label, Classes):
        return ("prediction", *(f"probability_{word}" for word in model.study.classes))
    return ADDED


def read_model(path: Path) -> Model:
    """Read a model from a file."""
    try:
        return Model.from_json(path.read_bytes())
    except InputError as problem:
        raise InputError(f"{path} must be a model, as `semildp model` writes it. {problem}") from None


def predict_table(model: Model, path: Path, output: TextIO, separator: str = ",") -> tuple[int, Remarks]:
    """Write a table with two columns more, the predicted label and its standard deviation (empty where not known).

    Of classes, the likeliest class and the probability of each are written; of a density, its logarithm.
    Returns how many rows there were, and what was unusual.
    """
    count = 0
    with open_table(path, separator) as table:
        added = added_columns(model)
        clash = [name for name in added if name in table.header]
        if clash:
            raise InputError(
                f"{path} must have no column called {quoted(clash)}: predictions are written there. Rename it."
            )
        coder, writer = Coder(model.study, table), csv.writer(output, delimiter=separator, lineterminator="\n")
        writer.writerow([*table.header, *added])
        for block in table.blocks():
            for row, cells in zip(block, _predicted(model, coder.rows(block)), strict=True):
                writer.writerow([*row, *cells])
            count += len(block)
    return count, coder.remarks


def _predicted(model: Model, rows: Floats) -> Iterator[list[str]]:
    """Yield what is written for each row."""
    if model.study.label is None:
        yield from ([repr(log)] for log in model.log_density(rows).tolist())
        return
    if isinstance(model.study.label, Classes):
        for shares in model.probabilities(rows):
            yield [model.study.classes[int(np.argmax(shares))], *(repr(float(share)) for share in shares)]
        return
    means, variances = model.predict(rows)
    for mean, variance in zip(means.tolist(), variances.tolist(), strict=True):
        yield [repr(mean), "" if math.isnan(variance) else repr(math.sqrt(variance))]
