"""A ledger as bytes: versioned JSON with a checksum, in which nothing unknown, damaged or doubtful is accepted."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from semildp._json import JsonError, strict_json
from semildp.budgets import MOST_DIGITS
from semildp.client.questions import QuestionId, Sent, within
from semildp.errors import InputError, refusal

VERSION = 2
_WHOLE = f"[1-9][0-9]{{0,{MOST_DIGITS - 1}}}"
_FRACTION = re.compile(f"{_WHOLE}(/{_WHOLE})?")


def ledger_bytes(limit: Fraction, sent: Iterable[Sent]) -> bytes:
    """Return JSON; numbers are fractions, reports are base64, `sha256` is of the same JSON without it."""
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
    data = {"version": VERSION, "limit": str(limit), "sent": entries}
    return _encode({**data, "sha256": hashlib.sha256(_encode(data)).hexdigest()})


def parse_ledger(content: bytes) -> tuple[Fraction, list[Sent]]:
    """Return limit and reports; accepted is only what `ledger_bytes` would write, byte for byte."""
    try:
        data = strict_json(content)
    except JsonError as problem:
        raise InputError(f"A ledger must be JSON. {problem}") from None
    if not isinstance(data, dict):
        raise InputError(f"A ledger must be a JSON object. Got {type(data).__name__}.")
    if "version" not in data or type(data["version"]) is not int or data["version"] != VERSION:
        raise InputError(f"A ledger must be of version {VERSION}. Got {repr(data.get('version'))[:60]}.")
    _check_fields("A ledger", data, {"version", "limit", "sent", "sha256"})
    if not isinstance(data["sent"], list):
        raise refusal("sent", "a list", repr(data["sent"])[:60])
    limit, sent = _fraction("limit", data["limit"]), [_entry(entry) for entry in data["sent"]]
    if ledger_bytes(limit, sent) != content:
        raise InputError("A ledger must have the checksum of its content. It is damaged or was changed by hand.")
    if len({entry.question for entry in sent}) != len(sent):
        raise InputError("A ledger must hold each question once.")
    if not within(sum((entry.epsilon for entry in sent), Fraction(0)), limit):
        raise InputError("A ledger must not hold more than its limit.")
    return limit, sent


def _encode(data: dict[str, Any]) -> bytes:
    return json.dumps(data, indent=1).encode("ascii")


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
