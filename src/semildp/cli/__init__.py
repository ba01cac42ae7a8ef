"""The command line: parsing and calling, nothing else. One file per verb, or per few verbs that belong together."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from semildp import __version__
from semildp.cli import audit, curator, export, fit, invite, plan, predict, serve, simulate, study
from semildp.errors import InputError

REFUSED, INTERRUPTED, PIPE_CLOSED = 2, 130, 141  # the latter two: 128 + SIGINT, 128 + SIGPIPE, as shells expect
SERVE = ("alembic", "httptools", "httpx", "psycopg", "segno", "sqlalchemy", "starlette", "uvicorn", "uvloop")
EXTRAS = {
    **dict.fromkeys(SERVE, "serve"),
    "pyarrow": "arrow",
    "dask": "dask",
    "distributed": "dask",
    "matplotlib": "plots",
}  # by package

_EXAMPLES = """\
from an idea to a model:
  semildp plan --people 5000 --features 10 --private 2   what it would come to
  semildp study new                          asks what the study asks, and writes study.toml
  semildp study check study.toml             says what it guarantees, and what is wrong
  semildp serve study.toml                   collects: the page people open, and the curator's page
  semildp invite -n 100 -o links.csv         a link for each of 100 people
  semildp simulate --people 1000             made-up people, to try all of it before
  semildp status                             how far it is
  semildp model -o model.json                what was learnt
  semildp export study.toml -o reports       what people sent, as Parquet files
  semildp fit reports/*.parquet --study study.toml -o model.json
  semildp predict model.json data.csv        what it predicts

from a table of people to a model, in one process:
  semildp study draft people.csv --label sleep --epsilon 4
  semildp rehearse study.toml people.csv --label-column sleep -o model.json

`semildp VERB --help` has examples of each. docs/run-a-study.md goes through all of them.
"""


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="semildp",
        description="Learn from data that its owners only partly share.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"semildp {__version__}")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for each in (plan, study, serve, invite, simulate, curator, export, fit, predict, audit):
        each.add(verbs)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and return its exit code."""
    options = parse(arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print(f"\n{options.stopped}", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # whoever read what is printed has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except InputError as problem:
        sentence = str(problem)
    except ModuleNotFoundError as problem:
        extra = EXTRAS.get((problem.name or "").split(".")[0])
        if extra is None:
            raise
        sentence = f"This needs the package {problem.name}. Install it: pip install 'semildp[{extra}]'."
    except OSError as problem:
        sentence = f"{problem.filename or 'A file'} could not be used: {problem.strerror or problem}."
    print(f"{options.called}: {sentence}", file=sys.stderr)
    return REFUSED
