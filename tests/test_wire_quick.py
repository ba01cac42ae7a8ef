"""Reading messages the quick way gives what the strict way gives: the same message, or the same refusal."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semildp.wire import codec
from semildp.wire.codec import around_answers, decode, encode, read_answers
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


def between(raw: bytes) -> bytes | None:
    """What a report has between the bytes that stand around the answers to its question."""
    head, tail = around_answers(REPORT.question)
    return raw[len(head) : -len(tail)] if raw.startswith(head) and raw.endswith(tail) else None


@given(st.lists(spoilt(REPORT), max_size=5))
def test_answers_of_many_are_read_as_each_alone(raws: list[bytes]):
    told = [raw for raw in raws if between(raw) is not None]
    read, alone = read_answers([between(raw) or b"" for raw in told]), [outcome(raw, Report) for raw in told]
    as_written = [isinstance(each, Report) and encode(each) == raw for each, raw in zip(alone, told, strict=True)]
    assert (read is not None) == all(as_written)
    if read is not None:
        assert [Report(REPORT.question, sent) for sent in read] == alone


def test_answers_that_reach_into_their_neighbours_are_not_read():
    """One report holds the end of another's answers and all of a third's: counted together they are three."""
    assert read_answers([b"1", b"2],[3", b""]) == [((1,),), ((2,), (3,)), ((),)]
    for parts in ([b"1]],[[2", b"3"], [b"1", b"2]],[[3", b"],[4"], [b"1],[", b"2]],[[3"], [b"1]", b"[2]],[[3"]):
        assert read_answers(parts) is None


def test_enrolments_of_many_are_read_as_each_alone():
    study = Case("semi-private", "split", "personal").study
    rows = [(None, 0.5, "blue", None), (1.0, None, None, -1.0), (None, None, None, None), (0.25, 0.5, "red", 0.0)]
    messages = [Enrolment(study.digest, row) for row in rows]
    many, alone = read_enrolments(study, messages), stack([read_enrolment(study, each) for each in messages])
    np.testing.assert_array_equal(many.public, alone.public)
    np.testing.assert_array_equal(many.mask, alone.mask)
