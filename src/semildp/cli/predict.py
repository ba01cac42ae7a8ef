"""`semildp predict`: what a model predicts for the people of a CSV file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from semildp.cli.verbs import add_verb

_AFTER = """\
examples:
  semildp predict model.json data.csv                    prints the table with two columns more
  semildp predict model.json data.csv -o predicted.csv   writes it
  semildp predict model.json data.csv --separator ';'    as some spreadsheets write CSV

Columns are matched to the study's features by name; other columns are passed on. An empty cell, or a column that
is not there, is averaged over. `prediction` is the expected label, `standard_deviation` how far it may be off.
Of classes, `prediction` is the likeliest, and each class has a column with its probability.
With a model of a density there is one column more, `log_density`.
"""


def add(verbs: Any) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "predict",
        run,
        about="predict the label for the rows of a CSV file",
        text="Predict the label for the rows of a CSV file, with a model that `semildp model` wrote.",
        stopped="Stopped before all rows were predicted; no file was written.",
        after=_AFTER,
    )
    parser.add_argument("model", type=Path, help="the model (JSON)")
    parser.add_argument("data", type=Path, help="rows of features, with a header line (CSV, UTF-8)")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="where to write (default: print)")
    parser.add_argument("--separator", default=",", metavar="C", help="what stands between cells (default: a comma)")


def run(options: argparse.Namespace) -> int:
    """Predict, and tell what was unusual in the table."""
    from semildp.cli.files import written_whole
    from semildp.errors import InputError
    from semildp.tables import predict_table, read_model

    model = read_model(options.model)
    if options.output is None:
        count, remarks = predict_table(model, options.data, sys.stdout, options.separator)
    else:
        if options.output.exists() and options.output.samefile(options.data):
            raise InputError(f"--output must be another file than the data. Got {options.output} for both.")
        with written_whole(options.output) as stream:
            count, remarks = predict_table(model, options.data, stream, options.separator)
    for sentence in remarks.sentences():
        print(sentence, file=sys.stderr)
    if options.output is not None:
        print(f"{count:,} rows are in {options.output}.", file=sys.stderr)
    return 0
