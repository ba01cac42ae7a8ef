"""A server in a process of its own: python -m tests.service.run_server '<JSON of the arguments of serve>'.

`clock` is a file with the seconds to add to the machine's time, read whenever time is asked for. `max_pages` makes the
SQLite file refuse to grow beyond so many pages, as a full disk does; it is a file with the number.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from semildp.service import core
from semildp.service.limits import Limits, read_body
from semildp.service.people_routes import token_of
from semildp.service.server import serve
from semildp.wire.codec import decode
from semildp.wire.messages import Report


def main() -> None:
    """Serve until told to stop."""
    options = json.loads(sys.argv[1])
    threading.Thread(target=_end_with_the_test, args=(os.getppid(),), daemon=True).start()
    if offset := options.pop("clock", None):
        options["clock"] = lambda: time.time() + float(_read(Path(offset)))
    if pages := options.pop("max_pages", None):
        _fill_up(Path(pages))
    if limits := options.pop("limits", None):
        options["limits"] = Limits(**limits)
    if options.pop("parse_route", False):
        options["extra_routes"] = parse_route
    if "switch" in options:
        sys.setswitchinterval(options.pop("switch"))
    serve(**options)


def _end_with_the_test(parent: int) -> None:
    """Whoever started this has died: so must a server that listens."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def _read(path: Path) -> str:
    """Return a file's text, once it has been written."""
    while not (text := path.read_text()):
        time.sleep(0.001)
    return text


def parse_route(core):
    """An endpoint that reads a request as that of a report is read, parses the report and answers: the yardstick."""

    async def parse(request: Request) -> Response:
        token_of(request)
        body = await read_body(request, core.limits.body_bytes, core.limits.body_seconds)
        decode(body, Report)
        return Response(b"", 201, media_type="application/json")

    return [Route("/parse/{wave:int}", parse, methods=["PUT"])]


def _fill_up(pages: Path) -> None:
    from sqlalchemy import event

    plain = core.open_engine

    def open_engine(url: str):
        engine = plain(url)

        @event.listens_for(engine, "begin")
        def limit(connection):
            connection.exec_driver_sql(f"PRAGMA max_page_count={int(_read(pages))}")

        return engine

    core.open_engine = open_engine


if __name__ == "__main__":
    main()
