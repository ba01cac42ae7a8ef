"""`semildp study draft`: a study's file from a table of people."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from semildp.cli.verbs import add_verb

_AFTER = """\
examples:
  semildp study draft people.csv --label sleep --epsilon 4
  semildp study draft people.csv --label sleep --epsilon 4 --private income health --leave-out id -o sleep.toml
  semildp study draft people.csv --label snores --epsilon 4 --classes      0 and 1 are classes, not numbers

A label of numbers is predicted as a number; a label of a few texts as one of these classes.
Numbers get bounds, rounded outwards, and texts a list of values: read off the table, and so covered by
no guarantee. That is right for a rehearsal with people whose data you hold already. Before you ask
others, write down what is known without looking at data.
"""
_WARNING = """\
# Bounds and values below were read off {table}: no guarantee covers them. Before people are asked, replace them
# by what is known without looking at data ("age: 0 to 120").
"""


def add(kinds: Any) -> None:
    """Add the verb."""
    parser = add_verb(
        kinds,
        "draft",
        run,
        about="write a study's file from a table of people",
        text="Write a study's file from the columns of a table (CSV), to rehearse a study with data you hold already.",
        stopped="Stopped; nothing was written.",
        after=_AFTER,
    )
    parser.add_argument("data", type=Path, help="rows of people, with a header line (CSV, UTF-8)")
    parser.add_argument("--label", required=True, metavar="NAME", help="the column that is to be predicted")
    parser.add_argument("--epsilon", type=float, required=True, metavar="E", help="the most a person spends")
    parser.add_argument("--private", nargs="+", default=[], metavar="NAME", help="columns private for everyone")
    parser.add_argument("--leave-out", nargs="+", default=[], metavar="NAME", help="columns that are no features")
    parser.add_argument("--classes", action="store_true", help="the label's numbers are classes")
    parser.add_argument("--separator", default=",", metavar="C", help="what stands between cells (default: a comma)")
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("study.toml"), metavar="FILE", help="default: study.toml"
    )
    parser.add_argument("--force", action="store_true", help="overwrite the file")


def run(options: argparse.Namespace) -> int:
    """Read the table, and write the file."""
    from semildp.drafting import checked_toml
    from semildp.drafting.from_table import draft_of_table
    from semildp.errors import InputError
    from semildp.tables import open_table

    if options.output.exists() and not options.force:
        raise InputError(f"{options.output} is there already. Choose another name with -o, or pass --force.")
    with open_table(options.data, options.separator) as table:
        draft, remarks = draft_of_table(
            table, options.label, options.epsilon, options.private, options.leave_out, classes=options.classes
        )
    text = checked_toml(draft)
    options.output.write_text(_WARNING.format(table=options.data.name) + text, encoding="utf-8")
    for sentence in remarks:
        print(sentence, file=sys.stderr)
    found = f"{len(draft.features)} feature{'s' * (len(draft.features) > 1)} of {draft.people:,} people"
    print(f"{options.output} is written: {found}, bounds read off the table.")
    print(f"Next: semildp rehearse {options.output} {options.data} --label-column {options.label} -o model.json")
    return 0
