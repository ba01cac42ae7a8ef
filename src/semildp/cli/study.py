"""`semildp study new` and `semildp study check`; `study draft` and `rehearse`, for tables, have own files."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from semildp.cli import rehearse, study_draft
from semildp.cli.study_options import add_study_options, read_draft
from semildp.cli.verbs import add_verb

_NEW = """\
examples:
  semildp study new                                   asks
  semildp study new -o sleep.toml --name "Sleep" --epsilon 2 --people 2000 \\
      --label 0 14 --text "How many hours did you sleep?" \\
      --feature age 18 100 --text "How old are you?" \\
      --feature drinks 0 20 --private \\
      --category work day,night,none --text "When do you work?"

--private, --text, --help-text and --unit belong to the --feature, --category or --label before them.
"""
_CHECK = """\
examples:
  semildp study check study.toml

Exit codes: 0 it can be used (remarks are advice), 2 it cannot.
"""


def add(verbs: Any) -> None:
    """Add the verbs."""
    rehearse.add(verbs)
    study = verbs.add_parser("study", help="write a study's file, or check one", description="Write or check a study.")
    kinds = study.add_subparsers(dest="kind", required=True, metavar="new|draft|check")
    new = add_verb(
        kinds,
        "new",
        run_new,
        about="write a study's file",
        text="Write a study's file, with comments. What the options leave open is asked for, on a terminal.",
        stopped="Stopped; nothing was written.",
        after=_NEW,
    )
    new.add_argument(
        "-o", "--output", type=Path, default=Path("study.toml"), metavar="FILE", help="default: study.toml"
    )
    new.add_argument("--force", action="store_true", help="overwrite the file")
    add_study_options(new)
    study_draft.add(kinds)
    check = add_verb(
        kinds,
        "check",
        run_check,
        about="say what a study asks and guarantees, and what is wrong",
        text="Say in plain words what a study asks and guarantees, and what is wrong with it.",
        stopped="Stopped.",
        after=_CHECK,
    )
    check.add_argument("file", type=Path, help="the study's file")


def run_new(options: argparse.Namespace) -> int:
    """Write the file."""
    from semildp.drafting import checked_toml, complete
    from semildp.errors import InputError

    if options.output.exists() and not options.force:
        raise InputError(f"{options.output} is there already. Choose another name with -o, or pass --force.")
    draft = read_draft(options)
    if missing := draft.missing():
        if not sys.stdin.isatty():
            raise InputError(f"Nobody is here to be asked. Pass {', '.join(missing)}.")
        try:
            complete(draft, input, print)
        except EOFError:
            raise InputError("The answers ended early. Nothing was written.") from None
    options.output.write_text(checked_toml(draft), encoding="utf-8")
    print(f"{options.output} is written. Read it, then: semildp study check {options.output}")
    return 0


def run_check(options: argparse.Namespace) -> int:
    """Say what the study is."""
    from datetime import UTC, datetime

    from semildp.drafting import advice, read_whole, told

    study, collection = read_whole(options.file)
    print("\n".join(told(study, collection)))
    remarks = advice(study, collection, datetime.now(UTC))
    for remark in remarks:
        print(f"\nremark: {remark}")
    print(f"\n{options.file} can be used" + (", with the remarks above." if remarks else "."))
    return 0
