"""`semildp status`, `advance`, `close`, `model`: what the curator asks of a server."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from semildp.cli.tokens import as_curator
from semildp.cli.verbs import add_address, add_token, add_verb

_STATUS = """\
examples:
  semildp status --token-file study.token
  SEMILDP_CURATOR_TOKEN=$(pass study) semildp status https://study.example.org
  semildp status --json | jq .people
"""
_CLOSE = """\
examples:
  semildp close --token-file study.token            asks whether you are sure
  semildp close https://study.example.org --yes     for scripts

No report is taken after this. The model is made from the reports that are there, if they are as many as the
study's minimum; then the reports are deleted. It cannot be undone.
"""
_ADVANCE = """\
examples:
  semildp advance --token-file study.token

The wave ends with the reports that are there, and the next is planned from them; of an enrolment, with the people
who are enrolled. Reports of people who were asked and have not answered are not taken any more.
"""
_MODEL = """\
examples:
  semildp model -o model.json --token-file study.token
  semildp model https://study.example.org -o model.json
"""


def add(verbs: Any) -> None:
    """Add the verbs."""
    common = {"stopped": "Stopped; the server goes on."}
    text = "Say how far a study is: who came, what is asked, what is still missing."
    status = add_verb(verbs, "status", run_status, about="how far a study is", text=text, after=_STATUS, **common)
    status.add_argument("--json", action="store_true", help="print JSON for machines")
    text = "End a study for good."
    close = add_verb(verbs, "close", run_close, about="end a study for good", text=text, after=_CLOSE, **common)
    close.add_argument("--yes", action="store_true", help="do not ask")
    text = "End the wave that is open, or the enrolment, now."
    advance = add_verb(verbs, "advance", run_advance, about="end a wave now", text=text, after=_ADVANCE, **common)
    text = "Fetch the model of a study that has ended."
    model = add_verb(verbs, "model", run_model, about="fetch what was learnt", text=text, after=_MODEL, **common)
    model.add_argument("-o", "--output", type=Path, metavar="FILE", help="where to write (default: print)")
    for parser in (status, advance, close, model):
        add_address(parser)
        add_token(parser)


def run_status(options: argparse.Namespace) -> int:
    """Print how far the study is."""
    from semildp.remote import Http
    from semildp.remote.told import status_lines

    with Http(options.url) as http:
        told = as_curator(http, options.token_file).status()
    print(json.dumps(told, indent=2) if options.json else "\n".join(status_lines(told)))
    return 0


def run_advance(options: argparse.Namespace) -> int:
    """End the wave."""
    from semildp.remote import Http

    with Http(options.url) as http:
        as_curator(http, options.token_file).advance()
    print("The wave is ending. `semildp status` says what comes next.")
    return 0


def run_close(options: argparse.Namespace) -> int:
    """Close the study, if that is really meant."""
    from semildp.errors import InputError
    from semildp.remote import Http, RemoteError

    with Http(options.url) as http:
        curator = as_curator(http, options.token_file)
        if not options.yes:
            if not sys.stdin.isatty():
                raise InputError("Closing cannot be undone, and nobody is here to be asked. Pass --yes if it is meant.")
            if input(f"Close the study at {http.address} for good? Type yes: ").strip().lower() != "yes":
                print("It stays open.")
                return 0
        try:
            curator.close()
        except RemoteError as problem:
            if problem.problem != "study-closed":
                raise
    print("The study is closed. `semildp model -o model.json` fetches the model once it is made.")
    return 0


def run_model(options: argparse.Namespace) -> int:
    """Fetch the model, check that it can be read, and write it."""
    from semildp.remote import Http

    with Http(options.url) as http:
        raw = as_curator(http, options.token_file).model()
    from semildp.models import Model

    model = Model.from_json(raw)
    if options.output is None:
        sys.stdout.buffer.write(raw)
        return 0
    options.output.write_bytes(raw)
    people = sum(group.n_people for group in model.spent if group.total > 0)
    print(f"The model, from {people:,} people, is in {options.output}.", file=sys.stderr)
    return 0
