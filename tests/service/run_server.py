"""A server in a process of its own: python -m tests.service.run_server '<JSON of the arguments of serve>'.

`clock` is a file with the seconds to add to the machine's time, read whenever time is asked for. `max_pages` makes the
SQLite file refuse to grow beyond so many pages, as a full disk does; it is a file with the number.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from semildp.service import core
from semildp.service.limits import Limits
from semildp.service.server import serve


def main() -> None:
    """Serve until told to stop."""
    options = json.loads(sys.argv[1])
    if offset := options.pop("clock", None):
        options["clock"] = lambda: time.time() + float(Path(offset).read_text())
    if pages := options.pop("max_pages", None):
        _fill_up(Path(pages))
    if limits := options.pop("limits", None):
        options["limits"] = Limits(**limits)
    serve(**options)


def _fill_up(pages: Path) -> None:
    from sqlalchemy import event

    plain = core.open_engine

    def open_engine(url: str):
        engine = plain(url)

        @event.listens_for(engine, "begin")
        def limit(connection):
            connection.exec_driver_sql(f"PRAGMA max_page_count={int(pages.read_text())}")

        return engine

    core.open_engine = open_engine


if __name__ == "__main__":
    main()
