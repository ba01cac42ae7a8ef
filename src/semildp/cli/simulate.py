"""`semildp simulate`: made-up people take part over HTTP."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semildp.cli.tokens import as_curator
from semildp.cli.verbs import ADDRESS, TOKEN, add_address, add_token, add_verb

if TYPE_CHECKING:
    from semildp.crowd import Person
    from semildp.remote import Server
    from semildp.study import Study

_AFTER = f"""\
examples:
  semildp simulate --people 1000                           at {ADDRESS}
  semildp simulate --data people.csv --label-column wage   own rows, which stay in this program
  semildp simulate https://study.example.org --people 50 --invitations links.csv
  semildp simulate --people 1000 --seed 1 --workers 1      the same people in the same order

Each person is a device of its own: values, choices, ledger and noise are made here, and only messages
are sent. Where the study needs invitations, they are made with the curator's token (--token-file, or
the variable {TOKEN}), or read from a file that `semildp invite` wrote. Made-up people
count as people: try a study on a copy, not on the real one.

Exit codes: 0 everybody got through, 1 some were refused or are still waiting, 2 the input was refused
or the server cannot be used, 130 interrupted.
"""


def add(verbs: Any) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "simulate",
        run,
        about="let made-up people take part",
        text="Let made-up people take part in a study over HTTP, to try it before real people are invited.",
        stopped="Stopped; whoever was through stays enrolled on the server.",
        after=_AFTER,
    )
    add_address(parser)
    add_token(parser)
    parser.add_argument("--people", type=int, metavar="N", help="how many (default: 1000, or all rows of --data)")
    parser.add_argument("--data", type=Path, metavar="CSV", help="take their values from this table")
    parser.add_argument("--label-column", default="label", metavar="NAME", help="its column of labels (default: label)")
    parser.add_argument("--separator", default=",", metavar="C", help="what stands between cells (default: a comma)")
    parser.add_argument("--hide", type=float, metavar="SHARE", help="how likely one hides a feature (default: 0.5)")
    parser.add_argument("--invitations", type=Path, metavar="CSV", help="links that `semildp invite` wrote")
    parser.add_argument(
        "--seed", type=int, metavar="N", help="the same people again (default: the system's randomness)"
    )
    parser.add_argument("--workers", type=int, default=8, metavar="N", help="how many at the same time (default: 8)")
    parser.add_argument("--patience", type=float, default=60, metavar="S", help="leave after S idle seconds (60)")


def run(options: argparse.Namespace) -> int:
    """Let people take part, and say how it went."""
    from semildp._checks import positive_number, whole_number
    from semildp.crowd import Crowd
    from semildp.crowd.told import outcome_lines
    from semildp.remote import Http, Server

    whole_number("--workers", options.workers, 1, 256)
    positive_number("--patience", options.patience)
    with Http(options.url, tries=8) as http, ExitStack() as stack:
        server = Server(http)
        study = server.study()
        people, count = _people(options, study, stack)
        guests = zip(people, _invitations(options, server, count), strict=False)
        bar = stack.enter_context(_bar(count))
        crowd = Crowd(server, study, workers=options.workers, patience=options.patience, progress=bar.update)
        outcome = crowd.visit(guests)
    print("\n".join(outcome_lines(outcome)))
    return 1 if outcome.refused or outcome.waiting else 0


def _people(options: argparse.Namespace, study: Study, stack: ExitStack) -> tuple[Iterator[Person], int | None]:
    """Return the people, and how many there are if that is known."""
    from semildp.crowd import made_up, people_of_table, usual_share
    from semildp.tables import open_table

    hide = usual_share(study) if options.hide is None else options.hide
    if options.data is None:
        count = 1000 if options.people is None else options.people
        return made_up(study, count, hide, options.seed), count
    table = stack.enter_context(open_table(options.data, options.separator))
    people = people_of_table(study, table, options.label_column, hide, options.seed)
    return itertools.islice(people, options.people), options.people


def _invitations(options: argparse.Namespace, server: Server, count: int | None) -> Iterator[str | None]:
    """Return an invitation for each person, or None for each where the study is open."""
    from semildp.crowd.invitations import made_as_needed, read_invitations

    if options.invitations is not None:
        return read_invitations(options.invitations)
    if server.collection().access == "open":
        return itertools.repeat(None)
    return made_as_needed(as_curator(server.http, options.token_file), count)


def _bar(count: int | None) -> Any:
    """A progress bar on a terminal, or something that shows nothing."""
    from semildp.cli.progress import progress_bar

    return progress_bar(count, "people")
