"""`semildp serve`: collect a study."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from semildp.cli.verbs import TOKEN, add_verb

_AFTER = f"""\
examples:
  semildp serve study.toml                                    this machine only; data in study.sqlite
  semildp serve study.toml --database postgresql://semildp@db/study
  semildp serve study.toml --host 0.0.0.0 --port 8080         behind a reverse proxy with TLS: docs/operate.md

The curator's token is taken from the variable {TOKEN}, or else from a file, which is
made with a new token if it is not there: study.token beside study.toml, unless --curator-token-file
says another. Whoever has it can end the study and read what was learnt. A password of the database
belongs into the variable PGPASSWORD or the file ~/.pgpass rather than on the command line.
"""


def add(verbs: Any) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "serve",
        run,
        about="collect a study: the page people open, and the server behind it",
        text="Collect a study: serve the page on which people choose and answer, take their reports, make the model.",
        stopped="Stopped; everything that was taken is kept. Start it again with the same command.",
        after=_AFTER,
    )
    parser.add_argument("file", type=Path, help="the study's file, with a table [collection]")
    parser.add_argument("--database", metavar="URL", help="sqlite:///FILE or postgresql://... (default: a file beside)")
    parser.add_argument("--host", default="127.0.0.1", help="where to listen (default: 127.0.0.1, this machine only)")
    parser.add_argument("--port", type=int, default=8000, metavar="N", help="default: 8000; 0: any that is free")
    parser.add_argument("--curator-token-file", type=Path, metavar="FILE", help="default: see below")
    parser.add_argument(
        "--log-level", default="INFO", choices=["DEBUG", "INFO", "WARNING", "ERROR"], help="default: INFO"
    )


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from semildp.cli.tokens import kept_token
    from semildp.drafting import read_whole
    from semildp.service.server import serve

    read_whole(options.file)
    port, token = _free(options), None
    if options.curator_token_file is not None or not os.environ.get(TOKEN):
        file = options.curator_token_file or options.file.with_suffix(".token")
        token = kept_token(file)
        print(f"The curator's token is in {file}: semildp status --token-file {file}", flush=True)
    serve(options.file, options.database, options.host, port, curator_token=token, log_level=options.log_level)
    return 0


def _free(options: argparse.Namespace) -> int:
    """Return the port, if it can be had."""
    import socket

    from semildp._checks import whole_number
    from semildp.errors import InputError

    port = whole_number("--port", options.port, 0, 65535)
    try:
        family, kind, _, _, address = socket.getaddrinfo(options.host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise InputError(
            f"--host {options.host} and --port {port} must be free on this machine. Got: {reason}. Choose another port."
        ) from None
    return port
