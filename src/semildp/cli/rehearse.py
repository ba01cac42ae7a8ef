"""`semildp rehearse`: a study with the people of a table, in one process."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from semildp.cli.verbs import add_verb

_AFTER = """\
examples:
  semildp rehearse study.toml people.csv --label-column sleep -o model.json
  semildp rehearse study.toml people.csv --label-column sleep --hide 0.5   each hides each feature or not
  semildp rehearse study.toml people.csv --label-column sleep --seed 1     the same draws again; not private

Everybody in the table is a device of its own that randomises before the curator learns; all run in this
process, so that whoever runs it sees raw rows. One person in five is not asked: on these the error is
measured, which a curator could not do. `semildp simulate --data` does the same over HTTP, with a server.
"""


def add(verbs: Any) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "rehearse",
        run,
        about="run a study on the rows of a CSV file, and say how well it learns",
        text="Run a study on the rows of a CSV file, in this process: what it costs people, and how well it learns.",
        stopped="Stopped; no model was written.",
        after=_AFTER,
    )
    parser.add_argument("study", type=Path, help="the study's file, TOML or JSON")
    parser.add_argument("data", type=Path, help="rows of people, with a header line (CSV, UTF-8)")
    parser.add_argument("--label-column", default="label", metavar="NAME", help="column of labels (default: label)")
    parser.add_argument("--hide", type=float, default=0.0, metavar="SHARE", help="how likely one hides a feature (0)")
    parser.add_argument("--keep-back", type=float, default=0.2, metavar="SHARE", help="not asked (default: 0.2)")
    parser.add_argument("--seed", type=int, metavar="N", help="the same draws again (default: the system's randomness)")
    parser.add_argument("--separator", default=",", metavar="C", help="what stands between cells (default: a comma)")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="where the model is written (default: nowhere)"
    )


def run(options: argparse.Namespace) -> int:
    """Rehearse, write the model, and tell what came of it."""
    from semildp.cli.files import written_whole
    from semildp.estimators.account import PrivacyAccount
    from semildp.explain import what_left
    from semildp.study import Study
    from semildp.tables import open_table
    from semildp.tables.rehearsing import rehearsal_lines, rehearse

    study = Study.read(options.study)
    with open_table(options.data, options.separator) as table:
        done = rehearse(
            study, table, options.label_column, hide=options.hide, keep_back=options.keep_back, seed=options.seed
        )
    for sentence in done.remarks.sentences():
        print(sentence, file=sys.stderr)
    transcript, model = done.simulated.transcript, done.simulated.model
    left, seeded = what_left(study, transcript), options.seed is not None
    labelled = study.label is not None
    account = PrivacyAccount(transcript.most, model.spent, left, (), seeded, study.hide_mask, labelled)
    print("\n".join([account.as_text(), "", *rehearsal_lines(done)]))
    if options.output is not None:
        with written_whole(options.output) as stream:
            stream.write(model.to_json().decode())
        print(f"\nThe model is in {options.output}. Next: semildp predict {options.output} {options.data}")
    return 0
