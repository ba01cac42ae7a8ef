"""Messages to bytes and back: strict, versioned JSON."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from semildp._json import JsonError, strict_json
from semildp.wire.messages import VERSION, Report, Whole
from semildp.wire.problems import WireError

M = TypeVar("M", bound=msgspec.Struct)

LONGEST = 2**26  # bytes of a message

Sent = tuple[tuple[int, ...], ...]  # of one report: whole numbers for each ask
_SENT = msgspec.json.Decoder(list[tuple[tuple[Whole, ...], ...]])


def encode(message: msgspec.Struct) -> bytes:
    """Return a message's bytes, always the same for the same message."""
    return msgspec.json.encode(message, order="deterministic")


def digest(raw: bytes) -> str:
    """Return the name of a message: SHA-256 of its bytes, in hexadecimal."""
    return hashlib.sha256(raw).hexdigest()


def decode(raw: bytes, kind: type[M]) -> M:
    """Return the message that bytes hold, or refuse them by the name of the problem."""
    if not isinstance(raw, bytes):
        raise WireError("wrong-type", f"a message is read from bytes; got {type(raw).__name__}")
    if len(raw) > LONGEST:
        raise WireError("too-large", f"at most {LONGEST} bytes are read; got {len(raw)}")
    as_written = _as_written(raw, kind)
    if as_written is not None:
        return as_written
    try:
        data = strict_json(raw)
    except JsonError as problem:
        raise WireError(problem.problem, str(problem).rstrip(".")) from None
    _check_head(data, kind)
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as problem:
        raise WireError(_problem(str(problem)), str(problem)) from None


def around_answers(question: str) -> tuple[bytes, bytes]:
    """Return what `encode` writes before and after the answers of a report to the question of this digest."""
    head, _, tail = encode(Report(question, ())).rpartition(b"[]")
    return head + b"[[", b"]]" + tail


def read_answers(parts: Sequence[bytes]) -> list[Sent] | None:
    """Return the answers of many reports from the bytes within `around_answers`; None if one is not as `encode` writes.

    All are read at once. Encoded again they must give the same bytes; then each `]],[[` ends one report's answers and
    begins the next's, and there are as many of these as commas put in here. So no part reaches into its neighbour.
    """
    if not parts:
        return []
    whole = b"[[[" + b"]],[[".join(parts) + b"]]]"
    try:
        answers: list[Sent] = _SENT.decode(whole)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    return answers if len(answers) == len(parts) and msgspec.json.encode(answers) == whole else None


def _as_written(raw: bytes, kind: type[M]) -> M | None:
    """Return the message if the bytes are just what `encode` writes for it: then there is nothing to refuse in them."""
    try:
        message = msgspec.json.decode(raw, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    return message if getattr(message, "version", None) == VERSION and encode(message) == raw else None


def _check_head(data: Any, kind: type[msgspec.Struct]) -> None:
    """Refuse another kind of message, and another version, before any other field is looked at."""
    if not isinstance(data, dict):
        raise WireError("wrong-type", f"a message is a JSON object; got {type(data).__name__}")
    name = kind.__struct_config__.tag
    if name is not None and data.get("message") != name:
        raise WireError("wrong-message", f"a {name} was expected; got {data.get('message')!r:.60}")
    if "version" not in data:
        raise WireError("missing-field", "the field `version` is missing")
    if type(data["version"]) is not int or data["version"] != VERSION:
        raise WireError("wrong-version", f"version {VERSION} is known here; got {data['version']!r:.60}")


def _problem(sentence: str) -> str:
    """Name the problem behind the codec's sentence."""
    if sentence.startswith("Object contains unknown field"):
        return "unknown-field"
    if sentence.startswith("Object missing required field"):
        return "missing-field"
    return "wrong-type" if re.match("Expected `[a-z |]*`, got `", sentence) else "out-of-domain"
