"""A ledger as text: versioned JSON, in which nothing unknown, damaged or doubtful is accepted."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from semildp._checks import parse_json
from semildp.client.questions import QuestionId, Sent
from semildp.errors import InputError, refusal

VERSION = 1
_FRACTION = re.compile(r"[1-9][0-9]{0,1999}(/[1-9][0-9]{0,1999})?")


def ledger_text(limit: Fraction, sent: Sequence[Sent]) -> str:
    """Return JSON; numbers are fractions, reports are base64."""
    entries = [
        {
            "study": entry.question.study,
            "round": entry.question.round,
            "digest": entry.question.digest,
            "epsilon": str(entry.epsilon),
            "report": base64.b64encode(entry.report).decode("ascii"),
        }
        for entry in sent
    ]
    return json.dumps({"version": VERSION, "limit": str(limit), "sent": entries}, indent=1)


def parse_ledger(text: str) -> tuple[Fraction, list[Sent]]:
    """Return limit and reports; what is damaged, unknown, of another version or beyond its own limit is refused."""
    data = parse_json("A ledger", text)
    _check_fields("A ledger", data, {"version", "limit", "sent"})
    if type(data["version"]) is not int or data["version"] != VERSION:
        raise InputError(f"A ledger must be of version {VERSION}. Got {data['version']!r}.")
    if not isinstance(data["sent"], list):
        raise refusal("sent", "a list", repr(data["sent"])[:60])
    limit, sent = _fraction("limit", data["limit"]), [_entry(entry) for entry in data["sent"]]
    if len({entry.question for entry in sent}) != len(sent):
        raise InputError("A ledger must hold each question once.")
    if sum(entry.epsilon for entry in sent) > limit:
        raise InputError("A ledger must not hold more than its limit. It is damaged or was changed by hand.")
    return limit, sent


def write_file(path: str | Path, text: str) -> None:
    """Write a file that is either the old or the new one, whatever happens."""
    place = Path(path)
    beside = place.with_name(place.name + ".new")
    with open(beside, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(place)


def read_file(path: str | Path) -> str:
    """Read a file as text, or say in a sentence why not."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as problem:
        raise InputError(f"The ledger {path} could not be read: {problem.strerror or problem}.") from None
    except ValueError:
        raise InputError(f"The ledger {path} must be JSON in UTF-8. Got other bytes.") from None


def _check_fields(what: str, data: object, expected: set[str]) -> None:
    if not isinstance(data, dict) or set(data) != expected:
        got = sorted(data) if isinstance(data, dict) else type(data).__name__
        raise InputError(f"{what} must have the fields {', '.join(sorted(expected))} and no others. Got {got}.")


def _fraction(name: str, text: object) -> Fraction:
    if not isinstance(text, str) or not _FRACTION.fullmatch(text):
        raise refusal(name, "a fraction above 0 in text, as 3/4", repr(text)[:60])
    return Fraction(text)


def _entry(data: Any) -> Sent:
    _check_fields("A sent report", data, {"study", "round", "digest", "epsilon", "report"})
    try:
        report = base64.b64decode(data["report"], validate=True)
    except (TypeError, ValueError):
        raise refusal("report", "bytes in base64", repr(data["report"])[:60]) from None
    question = QuestionId(data["study"], data["round"], data["digest"])
    return Sent(question, _fraction("epsilon", data["epsilon"]), report)
