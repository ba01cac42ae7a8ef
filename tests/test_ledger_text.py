"""A ledger's bytes: every bit counts, and what is damaged, unknown or of another version is refused in a sentence."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semildp import InputError
from semildp.client import QuestionId, Sent
from semildp.client.ledger_text import ledger_bytes, parse_ledger

SENT = [Sent(QuestionId.of("gesundheit ü", 1, f"question {i}"), Fraction(1, 2), bytes([i, 255])) for i in range(3)]
SAMPLE = ledger_bytes(Fraction(2), SENT)


def sealed(**fields):
    """A ledger with other fields and the checksum that belongs to them."""
    data = {**json.loads(SAMPLE), **fields}
    seal = data.pop("sha256")
    if "sha256" not in fields:
        seal = hashlib.sha256(json.dumps(data, indent=1).encode()).hexdigest()
    return json.dumps({**data, "sha256": seal}, indent=1).encode()


def entry(**fields):
    return sealed(sent=[{**json.loads(SAMPLE)["sent"][0], **fields}])


def test_what_is_written_is_read():
    assert parse_ledger(SAMPLE) == (2, SENT)
    assert sealed() == SAMPLE
    assert parse_ledger(entry(round=2))[1][0].question.round == 2


def test_every_flipped_bit_is_refused():
    for place in range(8 * len(SAMPLE)):
        flipped = bytearray(SAMPLE)
        flipped[place // 8] ^= 1 << place % 8
        with pytest.raises(InputError, match=r"must .*\."):
            parse_ledger(bytes(flipped))


@given(st.data())
def test_any_other_bytes_are_refused(data):
    start = data.draw(st.integers(0, len(SAMPLE)))
    stop = data.draw(st.integers(start, min(start + 8, len(SAMPLE))))
    mangled = SAMPLE[:start] + data.draw(st.binary(max_size=4)) + SAMPLE[stop:]
    if mangled != SAMPLE:
        with pytest.raises(InputError, match=r"must .*\."):
            parse_ledger(mangled)


def test_the_first_version_is_refused_by_name():
    old = json.dumps({"version": 1, "limit": "2", "sent": []}, indent=1).encode()
    with pytest.raises(InputError, match=r"^A ledger must be of version 2\. Got 1\.$"):
        parse_ledger(old)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"[" * 100_000,
        b"\xff\xfe\x00",
        SAMPLE[:-1],
        SAMPLE + b"\n",
        json.dumps(json.loads(SAMPLE)).encode(),
        sealed(version=3),
        sealed(version=True),
        sealed(version="2"),
        sealed(note="hello"),
        sealed(limit=2),
        sealed(limit="-2"),
        sealed(limit="2.5"),
        sealed(limit="4/2"),
        sealed(limit="1/0"),
        sealed(limit="1" * 5000),
        sealed(limit="1"),
        sealed(sent={}),
        sealed(sent=[None]),
        sealed(sent=json.loads(SAMPLE)["sent"] * 2, limit="9"),
        sealed(sha256=""),
        sealed(sha256=json.loads(SAMPLE)["sha256"].upper()),
        entry(round=0),
        entry(round=1.0),
        entry(digest="x"),
        entry(study=""),
        entry(epsilon="0"),
        entry(epsilon=0.5),
        entry(report="not base64!"),
        entry(report="AB=="),  # reads as AA== does
        entry(report=None),
        entry(label=0.3),
        b'{"version": 2, "version": 2, "limit": "2", "sent": []}',
    ],
)
def test_a_damaged_ledger_is_refused_in_a_sentence(content):
    with pytest.raises(InputError, match=r"must .*\."):
        parse_ledger(content)
