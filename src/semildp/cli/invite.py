"""`semildp invite`: a link for each person."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from semildp.cli.tokens import as_curator
from semildp.cli.verbs import add_address, add_token, add_verb

_AFTER = """\
examples:
  semildp invite -n 100 -o links.csv --token-file study.token
  semildp invite -n 100 -o links.csv --html cards.html --public https://study.example.org
  semildp invite https://study.example.org -n 5

Each link is for one person and for once. The server keeps only hashes, so that this is the only time they can be
read: who loses the file makes new ones. cards.html is for printing, a QR code for each person.
"""


def add(verbs: Any) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "invite",
        run,
        about="make invitation links, as CSV and with QR codes",
        text="Make invitation links: as CSV for a mailing, and as a page with QR codes for printing.",
        stopped="Stopped; links that were made but not written can never be used, and do no harm.",
        after=_AFTER,
    )
    add_address(parser)
    add_token(parser)
    parser.add_argument("-n", "--count", type=int, required=True, metavar="N", help="how many")
    parser.add_argument("-o", "--output", type=Path, metavar="CSV", help="where to write the links (default: print)")
    parser.add_argument("--html", type=Path, metavar="FILE", help="where to write the page with QR codes")
    parser.add_argument("--public", metavar="URL", help="the address that people open (default: the server's)")
    parser.add_argument("--force", action="store_true", help="overwrite files")


def run(options: argparse.Namespace) -> int:
    """Make links and write them."""
    from semildp.errors import InputError
    from semildp.remote import Http, Server
    from semildp.remote.cards import cards_html, links_csv, links_of

    for file in (options.output, options.html):
        if file is not None and file.exists() and not options.force:
            raise InputError(f"{file} is there already, perhaps with links in use. Choose another, or pass --force.")
    with Http(options.url) as http:
        collection = Server(http).collection()
        made = as_curator(http, options.token_file).invitations(options.count)
    links = links_of(options.public or http.address, made)
    text = links_csv(links)
    if options.output is None:
        print(text, end="")
    else:
        options.output.write_text(text, encoding="utf-8")
        print(f"{len(links):,} links are in {options.output}.", file=sys.stderr)
    if options.html is not None:
        options.html.write_text(cards_html(collection.title, links), encoding="utf-8")
        print(f"Their QR codes are in {options.html}: open it and print.", file=sys.stderr)
    return 0
