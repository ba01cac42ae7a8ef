"""Enrolments: what a curator reads, and what it refuses by which name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from semildp.wire.messages import Enrolment
from tests.vectors import parts
from tests.vectors.parts import plain, spoilt, text

Row = list[float | str | None]


def enrolment(row: Row, study: str = "plain") -> Enrolment:
    return Enrolment(parts.STUDIES[study].digest, tuple(row))


GOOD = enrolment([None, 2.5, "green", None])


def valid() -> Iterator[tuple[str, str, str, list[float | None]]]:
    """Name, text, study, and the features as numbers; null where private."""
    yield "some private", text(GOOD), "plain", [None, 2.5, 1.0, None]
    yield "all private", text(enrolment([None] * 4)), "plain", [None] * 4
    yield "all public that may be", text(enrolment([0.25, -0.5, "blue", None])), "plain", [0.25, -0.5, 2.0, None]
    yield "on the bounds", text(enrolment([1.0, -1.0, "red", None])), "plain", [1.0, -1.0, 0.0, None]
    yield "minus zero", text(enrolment([-0.0, 0.0, None, None])), "plain", [-0.0, 0.0, None, None]
    yield "a whole number", text(GOOD).replace("2.5", "2"), "plain", [None, 2.0, 1.0, None]
    yield "spaces", text(GOOD).replace(",", " ,\n\t"), "plain", [None, 2.5, 1.0, None]
    yield "escaped letters", text(GOOD).replace("green", "gr\\u0065en"), "plain", [None, 2.5, 1.0, None]
    yield "masks hidden", text(enrolment([None, None], "hidden")), "hidden", [None, None]


def invalid() -> Iterator[tuple[str, str | bytes, str]]:
    """Name, bytes, problem."""
    good = text(GOOD)
    yield "cut short", good[:40], "not-json"
    yield "not UTF-8", good.encode().replace(b"green", b"gr\xe9en"), "not-json"
    yield "a field twice", good.replace('"version":1', '"version":1,"version":1'), "duplicate-field"
    yield "NaN", good.replace("2.5", "NaN"), "not-finite"
    yield "1e999", good.replace("2.5", "-1e999"), "not-finite"
    yield "a question", text(parts.question(parts.label())), "wrong-message"
    yield "version 2", spoilt(GOOD, "version", to=2), "wrong-version"
    yield "a name as well", text({**plain(GOOD), "name": "Ada"}), "unknown-field"
    yield "no study", spoilt(GOOD, "study"), "missing-field"
    yield "no features", spoilt(GOOD, "public"), "missing-field"
    yield "a truth value", spoilt(GOOD, "public", 0, to=True), "wrong-type"
    yield "a list in it", spoilt(GOOD, "public", 0, to=[0.5]), "wrong-type"
    yield "text for a number", spoilt(GOOD, "public", 1, to="2.5"), "wrong-type"
    yield "a number for a category", spoilt(GOOD, "public", 2, to=1), "wrong-type"
    yield "another study", text(enrolment([None, 2.5, "green", None], "other")), "wrong-study"
    yield "a feature too few", text(enrolment([None, 2.5, "green"])), "wrong-count"
    yield "a feature too many", text(enrolment([None, 2.5, "green", None, 0.5])), "wrong-count"
    yield "below its bounds", spoilt(GOOD, "public", 1, to=-1.0000001), "out-of-domain"
    yield "above its bounds", spoilt(GOOD, "public", 0, to=1.5), "out-of-domain"
    yield "2**63", spoilt(GOOD, "public", 0, to=2**63), "out-of-domain"
    yield "no such value", spoilt(GOOD, "public", 2, to="yellow"), "out-of-domain"
    yield "a value in capitals", spoilt(GOOD, "public", 2, to="GREEN"), "out-of-domain"
    yield "a feature that is private for everyone", spoilt(GOOD, "public", 3, to=7.0), "out-of-domain"


def entries() -> Iterator[dict[str, Any]]:
    """All of them."""
    for name, message, study, row in valid():
        yield {"name": name, "study": study, "message": message, "valid": row}
    for name, raw, problem in invalid():
        yield {"name": name, "study": "plain", "message": raw, "problem": problem}
    shown = text(enrolment([0.5, None], "hidden"))
    yield {"name": "shown where masks are hidden", "study": "hidden", "message": shown, "problem": "out-of-domain"}
