"""Reading messages the quick way gives what the strict way gives: the same message, or the same refusal."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semildp.wire import codec
from semildp.wire.codec import decode, decode_many, encode
from semildp.wire.messages import Enrolment, Report
from semildp.wire.people import read_enrolment, read_enrolments, stack
from semildp.wire.problems import WireError
from tests.programs.studies import Case

REPORT = Report("ab" * 32, ((1, 2), (-3,)))
ENROLMENT = Enrolment("ab" * 32, (None, 0.5, "réd"))


def outcome(raw: bytes, kind: type) -> object:
    try:
        return decode(raw, kind)
    except WireError as problem:
        return problem.problem


def strictly(raw: bytes, kind: type, monkeypatch: pytest.MonkeyPatch) -> object:
    with monkeypatch.context() as patch:
        patch.setattr(codec, "_as_written", lambda raw, kind: None)
        return outcome(raw, kind)


def spoilt(message: Report | Enrolment) -> st.SearchStrategy[bytes]:
    """The message's bytes with a part cut out, doubled or replaced; and the same values written otherwise."""
    raw = encode(message)
    place, bits = (
        st.integers(0, len(raw)),
        st.sampled_from([b"", b" ", b"0", b"1.0", b"null", b"NaN", b'"', b",", b"\xff"]),
    )
    cut = st.builds(lambda a, b, c: raw[: min(a, b)] + c + raw[max(a, b) :], place, place, bits)
    twice = st.builds(lambda a, b: raw[: max(a, b)] + raw[min(a, b) :], place, place)
    written = [json.dumps(json.loads(raw)).encode(), raw + b" ", raw.replace(b'"version":1', b'"version":2'), raw]
    return st.one_of(cut, twice, st.sampled_from(written))


@pytest.mark.parametrize("message", [REPORT, ENROLMENT], ids=["report", "enrolment"])
def test_quick_and_strict_reading_agree(message: Report | Enrolment):
    kind = type(message)
    monkeypatch = pytest.MonkeyPatch()

    @given(spoilt(message))
    def check(raw: bytes) -> None:
        assert outcome(raw, kind) == strictly(raw, kind, monkeypatch)

    check()


@given(st.lists(spoilt(REPORT), max_size=5))
def test_many_are_read_as_each_alone(raws: list[bytes]):
    many = [each.problem if isinstance(each, WireError) else each for each in decode_many(raws, Report)]
    assert many == [outcome(raw, Report) for raw in raws]


def test_two_halves_of_one_report_are_two_refusals():
    raw = encode(REPORT)
    middle = raw.index(b',"answers"')
    halves = [raw[:middle], raw[middle + 1 :] + b"," + raw]
    assert [type(each) for each in decode_many(halves, Report)] == [WireError, WireError]


def test_enrolments_of_many_are_read_as_each_alone():
    study = Case("semi-private", "split", "personal").study
    rows = [(None, 0.5, "blue", None), (1.0, None, None, -1.0), (None, None, None, None), (0.25, 0.5, "red", 0.0)]
    messages = [Enrolment(study.digest, row) for row in rows]
    many, alone = read_enrolments(study, messages), stack([read_enrolment(study, each) for each in messages])
    np.testing.assert_array_equal(many.public, alone.public)
    np.testing.assert_array_equal(many.mask, alone.mask)
