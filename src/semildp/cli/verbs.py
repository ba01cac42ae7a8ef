"""What all verbs have in common: how one is added, and the options that several take."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

ADDRESS = "http://127.0.0.1:8000"  # where `semildp serve` listens unless told otherwise
WIDTH = 100  # of help texts
TOKEN = "SEMILDP_CURATOR_TOKEN"  # nosec B105

Run = Callable[[argparse.Namespace], int]


def add_verb(verbs: Any, name: str, run: Run, *, about: str, text: str, stopped: str, after: str) -> Any:
    """Add a verb with its help, and return its parser.

    Parameters
    ----------
    verbs
        Where it is added.
    name, run
        What it is called, and what it calls.
    about, text
        A few words for the list of verbs; a sentence or two for its own help.
    stopped
        What is said when it is interrupted.
    after
        What its help ends with: examples, exit codes.
    """
    parser = verbs.add_parser(
        name,
        help=about,
        description=textwrap.fill(text, WIDTH),
        epilog=after,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run, stopped=stopped, called=parser.prog)
    return parser


def add_address(parser: Any) -> None:
    """Take the server's address."""
    parser.add_argument("url", nargs="?", default=ADDRESS, metavar="URL", help=f"the server (default: {ADDRESS})")


def add_token(parser: Any) -> None:
    """Take the file of the curator's token."""
    parser.add_argument(
        "--token-file", type=Path, metavar="FILE", help=f"file with the curator's token (default: ${TOKEN})"
    )
