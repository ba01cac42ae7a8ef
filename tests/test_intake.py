"""Bytes from strangers: each message is judged alone, by the name of its problem, and the others stand."""

from __future__ import annotations

import json
from dataclasses import fields

import numpy as np
import pytest

from semildp.client import answer, enrol
from semildp.curator import tally_joint
from semildp.curator.intake import question_bytes, take_enrolments, take_reports
from semildp.curator.waves import Asked, State, Wave
from semildp.mechanisms import PairResponse
from semildp.protocols.asks import ask_label
from semildp.sources import SeededSource
from semildp.wire.codec import digest, encode
from semildp.wire.people import write_enrolment, write_report
from semildp.wire.problems import PROBLEMS
from tests.asking import ask_bins, ask_pair, crowd, joint_terms, question_of, study_of

N = 30
STUDY = study_of(category=True)
PEOPLE = crowd(STUDY, N)
PUBLIC = np.flatnonzero(~PEOPLE.mask.any(axis=1))
ENROLMENTS = [encode(write_enrolment(STUDY, enrol(PEOPLE), i)) for i in range(N)]


def changed(raw: bytes, **new: object) -> bytes:
    return json.dumps({**json.loads(raw), **new}).encode()


def entry(place: int, value: object):
    def change(raw: bytes) -> bytes:
        public = json.loads(raw)["public"]
        public[place] = value
        return changed(raw, public=public)

    return change


ENROLMENT_LIES = {
    "not JSON": (lambda raw: raw[:-1], "not-json"),
    "no text": (lambda raw: b"\xff" + raw, "not-json"),
    "a field twice": (lambda raw: raw.replace(b'"public"', b'"study":"","public"', 1), "duplicate-field"),
    "infinite": (lambda raw: entry(1, float("inf"))(raw), "not-finite"),
    "missing": (lambda raw: entry(1, float("nan"))(raw), "not-finite"),
    "too large a number": (lambda raw: entry(1, 0)(raw).replace(b" 0,", b" 1e999,"), "not-finite"),
    "a report": (lambda raw: changed(raw, message="report"), "wrong-message"),
    "a list": (lambda raw: b"[]", "wrong-type"),
    "another version": (lambda raw: changed(raw, version=2), "wrong-version"),
    "one more field": (lambda raw: changed(raw, label=0.5), "unknown-field"),
    "a field less": (lambda raw: json.dumps({"message": "enrolment", "version": 1}).encode(), "missing-field"),
    "another study": (lambda raw: changed(raw, study="0" * 64), "wrong-study"),
    "one entry short": (lambda raw: changed(raw, public=["red", 0.5]), "wrong-count"),
    "one entry too many": (lambda raw: changed(raw, public=["red", 0.5, 0.5, 0.5]), "wrong-count"),
    "out of bounds": (entry(1, 7.0), "out-of-domain"),
    "an unknown colour": (entry(0, "mauve"), "out-of-domain"),
    "a colour's number": (entry(0, 1), "wrong-type"),
    "a number as text": (entry(1, "0.5"), "wrong-type"),
    "truth values": (entry(1, True), "wrong-type"),
}


@pytest.mark.parametrize("lie", ENROLMENT_LIES)
def test_an_enrolment_no_device_sends_is_refused_alone(lie):
    change, problem = ENROLMENT_LIES[lie]
    assert problem in PROBLEMS
    for liar in (0, N // 2, N - 1):
        raw = list(ENROLMENTS)
        raw[liar] = change(raw[liar])
        enrolled, refused = take_enrolments(STUDY, raw)
        assert [(r.person, r.problem) for r in refused] == [(liar, problem)]
        others = np.delete(np.arange(N), liar)
        np.testing.assert_array_equal(enrolled.public, enrol(PEOPLE).public[others])
        np.testing.assert_array_equal(enrolled.mask, PEOPLE.mask[others])


def test_honest_enrolments_come_back_bit_for_bit_and_nobody_is_nobody():
    enrolled, refused = take_enrolments(STUDY, ENROLMENTS)
    assert refused == []
    np.testing.assert_array_equal(enrolled.public, enrol(PEOPLE).public)
    np.testing.assert_array_equal(enrolled.mask, PEOPLE.mask)
    nobody, refused = take_enrolments(STUDY, [])
    assert (nobody.public.shape, nobody.mask.shape, refused) == ((0, 3), (0, 3), [])


def test_what_everyone_hides_cannot_be_shown():
    """Where masks are hidden, a shown feature is refused: accepted, it would tell who plays by the rules."""
    hiding = study_of(category=True, hide=True)
    silent = encode(write_enrolment(hiding, enrol(crowd(hiding, 1)), 0))
    loud = changed(ENROLMENTS[int(PUBLIC[0])], study=hiding.digest)
    enrolled, refused = take_enrolments(hiding, [silent, loud, silent])
    assert [(r.person, r.problem) for r in refused] == [(1, "out-of-domain")]
    assert enrolled.mask.tolist() == [[True] * 3] * 2


def collected(wave, spoil=None):
    """Let everyone answer a wave, spoil some of the reports, and take in what arrives."""
    state, source = State(STUDY, enrol(PEOPLE), {}), SeededSource(4)
    raw = []
    for asked in wave.asked:
        answers = answer(STUDY, asked.question, PEOPLE[asked.people], source, asked.centres)
        names = [digest(question_bytes(asked, place)) for place in range(len(asked.people))]
        raw.append([encode(write_report(name, answers, place)) for place, name in enumerate(names)])
    for which, place, change in spoil or ():
        raw[which][place] = change(raw[which][place])
    return state, *take_reports(state, wave, raw)


def two_questions(tally=None):
    """The label and bins of the first people; a pair, with a centre for each, of the others."""
    label_and_bins = question_of(STUDY, ask_label("window", 0.0, 1.0, 0.5), ask_bins(STUDY, 0.5))
    pair = question_of(STUDY, ask_pair(STUDY, 0, PairResponse(2.0, 3, 2, "subset")))
    centres = np.linspace(0.2, 0.8, 10)
    return Wave("x", (Asked(label_and_bins, np.arange(20)), Asked(pair, np.arange(29, 19, -1), centres)), tally)


REPORT_LIES = {
    "cut short": (lambda raw: raw[:-1], "not-json"),
    "an enrolment": (lambda raw: ENROLMENTS[0], "wrong-message"),
    "another version": (lambda raw: changed(raw, version=0), "wrong-version"),
    "another question": (lambda raw: changed(raw, question="0" * 64), "wrong-question"),
    "no answers": (lambda raw: changed(raw, answers=[]), "wrong-count"),
    "an answer too many": (lambda raw: changed(raw, answers=[*json.loads(raw)["answers"], [0]]), "wrong-count"),
    "answers too large": (
        lambda raw: changed(raw, answers=[[2**53 + 1] for _ in json.loads(raw)["answers"]]),
        "out-of-domain",
    ),
    "half a number": (lambda raw: changed(raw, answers=[[0.5] for _ in json.loads(raw)["answers"]]), "wrong-type"),
    "text": (lambda raw: changed(raw, answers=[["0"] for _ in json.loads(raw)["answers"]]), "wrong-type"),
    "its own label": (lambda raw: changed(raw, label=0.5), "unknown-field"),
    "a symbol nobody has": (
        lambda raw: changed(raw, answers=[[99]] * len(json.loads(raw)["answers"])),
        "out-of-domain",
    ),
}


@pytest.mark.parametrize("lie", REPORT_LIES)
def test_a_report_no_device_sends_is_refused_alone(lie):
    """In both questions of a wave; people are named by their place among those enrolled, not in the question."""
    change, problem = REPORT_LIES[lie]
    _, honest, none = collected(two_questions())
    assert none == []
    _, done, refused = collected(two_questions(), [(0, 7, change), (1, 3, change)])
    assert [r.person for r in refused] == [7, 26]
    assert {r.problem for r in refused} == {problem}
    for which, place in ((0, 7), (1, 3)):
        kept = np.delete(np.arange(len(honest.wave.asked[which].people)), place)
        assert done.wave.asked[which].people.tolist() == honest.wave.asked[which].people[kept].tolist()
        for marks, all_marks in zip(done.answers[which], honest.answers[which], strict=True):
            assert [marks.of(i) for i in range(len(marks))] == [all_marks.of(i) for i in kept]
    np.testing.assert_array_equal(done.wave.asked[1].centres, np.delete(honest.wave.asked[1].centres, 3))


def test_a_report_made_for_another_centre_is_another_question_s():
    """Who answers a neighbour's question, with the neighbour's centre, has not answered their own."""
    _, done, refused = collected(two_questions())
    assert refused == []
    theirs = digest(question_bytes(two_questions().asked[1], 4))
    _, done, refused = collected(two_questions(), [(1, 3, lambda raw: changed(raw, question=theirs))])
    assert [(r.person, r.problem) for r in refused] == [(26, "wrong-question")]
    assert len(done.wave.asked[1].people) == 9


def test_totals_are_those_of_the_reports_that_stand():
    terms = joint_terms(STUDY, 2.0)
    question = question_of(STUDY, terms.ask(enrol(PEOPLE)))
    kept = Wave("x", (Asked(question, np.arange(N)),))
    added = Wave("x", kept.asked, lambda batch: tally_joint(terms, batch.enrolled, batch.answers[0]))
    spoil = [(0, 0, lambda raw: raw[:-1]), (0, 9, lambda raw: changed(raw, answers=[[10**4]]))]
    state, done, refused = collected(added, spoil)
    assert [r.person for r in refused] == [0, 9]
    assert done.answers == ()
    state, rest, _ = collected(kept, spoil)
    state.done.append(rest)
    scanned = state.scan(0, added.tally)
    for f in fields(scanned):
        assert getattr(done.totals, f.name).tolist() == getattr(scanned, f.name).tolist()
    _, clean, _ = collected(added)
    assert done.totals.weight[0] < clean.totals.weight[0]


def test_all_reports_refused_leaves_an_empty_wave():
    spoil = [(0, place, lambda raw: b"") for place in range(20)] + [(1, place, lambda raw: b"") for place in range(10)]
    _, done, refused = collected(two_questions(), spoil)
    assert len(refused) == N
    assert [len(asked.people) for asked in done.wave.asked] == [0, 0]
    assert [len(marks) for answers in done.answers for marks in answers] == [0, 0, 0]
