"""A study over messages: people are asked as they come, and the same messages tell the same again."""

from __future__ import annotations

from functools import cache

import msgspec
import numpy as np
import pytest

from semildp.arrivals import ask_newcomer, check_enrolment, check_reports, with_centre
from semildp.client import answer, enrol, ready
from semildp.errors import InputError
from semildp.models import Model
from semildp.protocols import PROTOCOLS, asks_newcomers
from semildp.running import Planned, Running
from semildp.sources import SeededSource
from semildp.wire.codec import decode, digest, encode
from semildp.wire.messages import AskLabel, Question
from semildp.wire.people import write_enrolment, write_report
from semildp.wire.problems import WireError
from tests.programs.studies import MANY_PEOPLE, Case

N = MANY_PEOPLE
SEMI, TREE = Case("semi-private", "split", "personal"), Case("public-tree", "split", "aligned")


@cache
def messages(case):
    """Return the people of a case, as their devices hold them, and their enrolments."""
    study = case.study
    people = ready(study, *case.people(), SeededSource(5))
    return people, [encode(write_enrolment(study, enrol(people), i)) for i in range(len(people))]


def report(study, people, i, question):
    """Return one person's report to a question."""
    sent = answer(study, decode(question, Question), people[np.array([i])], SeededSource(i))
    return encode(write_report(digest(question), sent, 0))


@cache
def visited(case):
    """Let everyone visit once, in order: per wave what was planned, rows, and how many were enrolled; and the model."""
    study, (people, enrolments) = case.study, messages(case)
    running, waves, came = Running(study, 11, len(enrolments)), [], 0
    while isinstance(planned := running.plan(), Planned):
        rows = []
        new = range(came, min(came + planned.wanted, len(enrolments)))
        for i in new:
            k, centre = ask_newcomer(study, planned.rule, enrolments[i])
            question = with_centre(planned.questions[k], centre)
            sent = report(study, people, i, question)
            assert check_reports(study, [(planned.questions[k], centre, enrolments[i], sent)]) == [None]
            rows.append((i, k, centre, sent))
        came = new.stop
        running.enrol(enrolments[new.start : new.stop])
        running.collect(planned.questions, rows)
        waves.append((planned, rows, came))
    return waves, planned, running.state


@pytest.mark.parametrize("case", [SEMI, TREE], ids=lambda case: case.name)
def test_people_who_come_one_after_the_other_are_asked_once_and_there_is_a_model(case):
    waves, model, _ = visited(case)
    asked = [row[0] for _, rows, _ in waves for row in rows]
    assert asked == list(range(case.n_people))
    assert isinstance(model, Model)
    assert sum(group.n_people for group in model.spent) == case.n_people
    assert {group.total for group in model.spent} == {case.study.epsilon}


def test_what_was_learnt_from_newcomers_predicts():
    """Explains at least half of the labels' variance at epsilon 4, where a few hundred labels alone explain less."""
    _, model, _ = visited(SEMI)
    X, y, _ = SEMI.people()
    assert np.mean((model.predict(X)[0] - y) ** 2) < 0.5 * y.var()


def test_newcomers_are_asked_about_features_they_hide():
    waves, _, state = visited(SEMI)
    about = set()
    for planned, rows, _ in waves:
        for person, k, _, _ in rows:
            ask = decode(planned.questions[k], Question).asks[0]
            if not isinstance(ask, AskLabel):
                about |= set(ask.partition.features)
                assert state.enrolled.mask[person, list(ask.partition.features)].all()
    assert about


def test_the_same_messages_tell_the_same_again():
    waves, model, _ = visited(SEMI)
    _, enrolments = messages(SEMI)
    again, before = Running(SEMI.study, 11, N), 0
    for planned, rows, came in waves:
        assert again.plan() == planned
        again.enrol(enrolments[before:came])
        again.collect(planned.questions, rows)
        before = came
    assert again.plan().to_json() == model.to_json()


@pytest.mark.parametrize("last", [0, 4, 6])
def test_a_study_that_is_closed_early_has_a_model_of_what_is_there(last):
    """In the first wave, among labels, and between waves of residuals: nobody comes any more."""
    waves, _, _ = visited(SEMI)
    _, enrolments = messages(SEMI)
    running, before, sent = Running(SEMI.study, 11, N), 0, 0
    while isinstance(planned := running.plan(), Planned):
        rows, came = waves[planned.wave - 1][1:]
        if planned.wave - 1 <= last:
            running.enrol(enrolments[before:came])
            before = came
        rows = rows if planned.wave - 1 < last else rows[:10] if planned.wave - 1 == last else []
        sent += len(rows)
        running.collect(planned.questions, rows)
    assert sum(group.n_people for group in planned.spent if group.total > 0) == sent


def test_a_centre_changes_nothing_else_in_a_question_s_bytes():
    waves, _, _ = visited(SEMI)
    question = waves[-1][0].questions[0]
    for centre in (0.0, -1.5, 1e-7, 1e22):
        changed = msgspec.structs.replace(decode(question, Question), centre=centre)
        assert with_centre(question, centre) == encode(changed)


def test_each_report_is_judged_alone():
    waves, _, _ = visited(SEMI)
    _, enrolments = messages(SEMI)
    planned, rows, _ = waves[-1]
    good = [(planned.questions[k], centre, enrolments[i], sent) for i, k, centre, sent in rows[:4]]
    question, centre, enrolment, sent = good[1]
    many = sent.replace(b"[[", b"[[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,")
    bad = [
        (question, centre + 1, enrolment, sent),
        (question, centre, enrolment, b"{"),
        (question, centre, enrolment, many),
    ]
    found = check_reports(SEMI.study, [good[0], *bad, good[2]])
    assert [found[0], found[-1]] == [None, None]
    assert found[1:3] == ["wrong-question", "not-json"]
    assert found[3] in ("wrong-count", "out-of-domain", "repeated-mark")


def test_who_hides_a_feature_is_refused_where_all_are_public():
    study = Case("label-tree", "split", "none").study
    shown = encode(write_enrolment(study, enrol(ready(study, *_one(study, hidden=False), SeededSource(1))), 0))
    assert check_enrolment(study, shown) == (False,) * 4
    with pytest.raises(WireError, match="every feature is public"):
        check_enrolment(study, encode(write_enrolment(study, enrol(ready(study, *_one(study), SeededSource(1))), 0)))


def _one(study, *, hidden=True):
    mask = np.zeros((1, 4), dtype=bool)
    mask[0, 0] = hidden
    return np.zeros((1, 4)), np.zeros(1), mask


def test_which_protocols_ask_newcomers():
    ask = [name for name in PROTOCOLS if asks_newcomers(msgspec.structs.replace(SEMI.study, protocol=name))]
    assert ask == ["semi-private", "public-tree", "label-tree"]
    both = msgspec.structs.replace(SEMI.study, participation="both")
    assert not asks_newcomers(both)
    with pytest.raises(InputError, match="enrolled before the first wave"):
        Running(both, 1, 500).plan()


def test_messages_are_taken_in_order():
    running = Running(SEMI.study, 11, N)
    with pytest.raises(InputError, match="planned before it is collected"):
        running.collect([], [])
    with pytest.raises(InputError, match="checked when they come in"):
        running.enrol([b"{"])


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_study_without_a_single_report_ends_in_a_sentence(protocol):
    """A wave may be closed before anybody answered, or every report may be refused."""
    how = "split" if protocol == "semi-private" else "both"
    case = Case(protocol, how, "none" if protocol == "label-tree" else "personal")
    running = Running(case.study, 3)
    running.enrol(messages(case)[1])
    planned = running.plan()
    running.collect(planned.questions, [])
    with pytest.raises(InputError, match="no report was accepted so far"):
        running.plan()
