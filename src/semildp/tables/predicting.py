"""What a model predicts for the people of a CSV file, written as a CSV file."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import TextIO

from semildp.errors import InputError
from semildp.models import Model
from semildp.tables.coding import Coder, Remarks
from semildp.tables.csv_table import open_table, quoted

DENSITY = ("log_density",)  # and the column that a density is written to
ADDED = ("prediction", "standard_deviation")  # columns that predictions are written to


def read_model(path: Path) -> Model:
    """Read a model from a file."""
    try:
        return Model.from_json(path.read_bytes())
    except InputError as problem:
        raise InputError(f"{path} must be a model, as `semildp model` writes it. {problem}") from None


def predict_table(model: Model, path: Path, output: TextIO, separator: str = ",") -> tuple[int, Remarks]:
    """Write a table with two columns more, the predicted label and its standard deviation (empty where not known).

    A model of a density adds one, the log density of the row.

    Returns how many rows there were, and what was unusual.
    """
    count = 0
    with open_table(path, separator) as table:
        added = DENSITY if model.study.label is None else ADDED
        clash = [name for name in added if name in table.header]
        if clash:
            raise InputError(
                f"{path} must have no column called {quoted(clash)}: predictions are written there. Rename it."
            )
        coder, writer = Coder(model.study, table), csv.writer(output, delimiter=separator, lineterminator="\n")
        writer.writerow([*table.header, *added])
        for block in table.blocks():
            count += len(block)
            if model.study.label is None:
                logs = model.log_density(coder.rows(block)).tolist()
                writer.writerows([*row, repr(log)] for row, log in zip(block, logs, strict=True))
                continue
            means, variances = model.predict(coder.rows(block))
            for row, mean, variance in zip(block, means.tolist(), variances.tolist(), strict=True):
                writer.writerow([*row, repr(mean), "" if math.isnan(variance) else repr(math.sqrt(variance))])
    return count, coder.remarks
