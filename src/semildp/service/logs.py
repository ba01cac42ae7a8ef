"""Logs: one JSON object a line. No raw value, no token, no address of a person; of an error its kind and place only."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Any


class Lines(logging.Formatter):
    """Writes a record as a line of JSON: time, level, where from, event, and its facts."""

    def format(self, record: logging.LogRecord) -> str:
        """Write one record. Messages of exceptions are left out, for they may quote what somebody sent."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage() if record.name.startswith("semildp") else str(record.msg),
        }
        line.update(getattr(record, "facts", {}))
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = name_of(record.exc_info[1])
            line["at"] = [f"{f.filename.rpartition('/')[2]}:{f.lineno}" for f in _frames(record.exc_info[1])]
        return json.dumps(line)


def _frames(problem: BaseException) -> list[traceback.FrameSummary]:
    return traceback.extract_tb(problem.__traceback__)[-12:]


def name_of(problem: BaseException) -> str:
    """Return the kind of an exception, and a database's code for it, without the sentence."""
    inner = getattr(problem, "orig", None) or problem
    code = getattr(inner, "sqlstate", None) or getattr(inner, "sqlite_errorname", None)
    return f"{type(inner).__name__} {code}" if code else type(inner).__name__


def start_logs(level: str = "INFO") -> None:
    """Send this package's and the web server's logs to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    for name in ("semildp", "uvicorn", "alembic", "sqlalchemy"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level if name == "semildp" else "WARNING")
