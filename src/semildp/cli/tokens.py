"""Where the curator's token comes from: a file, or the environment; never the command line, which others can see."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from semildp.cli.verbs import TOKEN
from semildp.errors import InputError

if TYPE_CHECKING:
    from semildp.remote import Curator, Http


def curator_token(file: Path | None) -> str:
    """Return the token from the file, or else from the environment."""
    token = os.environ.get(TOKEN, "") if file is None else file.read_text("utf-8", errors="replace")
    token = token.strip()
    if not token:
        where = f"The variable {TOKEN}" if file is None else f"The file {file}"
        raise InputError(
            f"{where} must hold the curator's token. Got nothing. `semildp serve` says in which file it is: pass it "
            "with --token-file."
        )
    return token


def as_curator(http: Http, file: Path | None) -> Curator:
    """Return the curator's side of a server; say so if others on the way could read the token."""
    from semildp.remote import Curator
    from semildp.remote.links import is_plain

    token = curator_token(file)
    if is_plain(http.address):
        print(f"{http.address} is not encrypted: whoever is on the way can read the token. Use https.", file=sys.stderr)
    return Curator(http, token)


def kept_token(file: Path) -> str:
    """Return the token that a file holds; a file that is not there is made with a new one, for its owner only."""
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return curator_token(file)
    with os.fdopen(handle, "w") as stream:
        token = secrets.token_urlsafe(32)
        stream.write(f"{token}\n")
    return token
