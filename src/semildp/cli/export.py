"""`semildp export`: what people sent, as Parquet files."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from semildp.cli.verbs import add_verb

_AFTER = """\
examples:
  semildp export study.toml -o reports                                   from study.sqlite beside it
  semildp export study.toml -o reports --database postgresql://semildp@db/study

The files hold what people have made public and their randomised answers, one row per person:
docs/stored-reports.md describes them. The server may go on meanwhile. It deletes reports once the
model is made: export before, while the last wave is open, or from a backup. Delete the files when
the server deletes its own reports, or tell people that you keep them.
"""


def add(verbs: Any) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "export",
        run,
        about="write what people sent to Parquet files",
        text="Write what people have sent in a study to Parquet files, which `semildp fit` makes the model from.",
        stopped="Stopped; the files that are there are not all. Delete the folder before you try again.",
        after=_AFTER,
    )
    parser.add_argument("file", type=Path, help="the study's file, with a table [collection]")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FOLDER", help="where to write: empty, or new"
    )
    parser.add_argument("--database", metavar="URL", help="sqlite:///FILE or postgresql://... (default: a file beside)")
    parser.add_argument("--per-file", type=int, metavar="N", help="people in a file, at most (default: 10,000,000)")


def run(options: argparse.Namespace) -> int:
    """Read the database, and write files."""
    from semildp._checks import whole_number
    from semildp.cli.progress import progress_bar
    from semildp.service.exporting import received
    from semildp.stored.writing import PEOPLE, check_empty, write_reports

    check_empty(options.output)
    people = PEOPLE if options.per_file is None else whole_number("--per-file", options.per_file, 1, 2**31)
    state, seed = received(options.file, options.database)
    with progress_bar(len(state.enrolled), "people") as bar:
        paths = write_reports(state, options.output, seed=seed, done=bar.update, people=people)
    files = "1 file" if len(paths) == 1 else f"{len(paths):,} files"
    print(f"{len(state.enrolled):,} people are in {files} in {options.output}.", file=sys.stderr)
    return 0
