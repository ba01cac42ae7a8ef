"""One person's device: what a question costs comes from its bytes, and nothing is drawn that is not paid for."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest

from semildp import InputError, LimitError
from semildp.client import Device, Ledger, QuestionId
from semildp.curator.intake import question_bytes, take_enrolments, take_reports
from semildp.curator.joint import JointTerms
from semildp.curator.waves import Asked, State, Wave
from semildp.mechanisms import GeneralisedResponse
from semildp.partition import Partition, Tree
from semildp.protocols.asks import ask_cell, ask_label
from semildp.sources import SeededSource
from semildp.study import Category, Feature, Number, Study
from semildp.wire.codec import decode, digest, encode
from semildp.wire.columns import Enrolled
from semildp.wire.forms import mechanism_message, read_mechanism
from semildp.wire.messages import AskBins, Enrolment, Question, Report
from semildp.wire.people import read_enrolment
from semildp.wire.problems import WireError
from tests.witness import Counted, seeded

FEATURES = (
    Feature("income", Number(0, 100)),
    Feature("age", Number(18, 100)),
    Feature("illness", Category(("none", "flu", "other")), private=True),
    Feature("region", Category(("north", "south"))),
)


def study_of(name="health", epsilon=1.0, **settings):
    return Study(name=name, epsilon=epsilon, label=Number(0, 10), features=FEATURES, **settings)


STUDY = study_of()
VALUES, LABEL = (31.7, 44.0, "flu", "south"), 7.5


def device(study=STUDY, limit=10, values=VALUES, label=LABEL, hidden=("income",), source=None):
    return Device(study, values, label, hidden, Ledger(limit), source)


def label_question(study=STUDY, epsilon=None, wave=1):
    epsilon = study.epsilon if epsilon is None else epsilon
    return Question(study.digest, wave, (ask_label("window", 0.0, 10.0, epsilon),))


def public(of):
    return read_enrolment(of.study, decode(of.enrol(), Enrolment))


def cell_question(of, features, epsilon=0.5, wave=2):
    bins = tuple(of.study.n_values[f] or 2 for f in features)
    partition = Partition(of.study.bounds, features, bins, Tree())
    return Question(of.study.digest, wave, (ask_cell(partition, "grr", epsilon, public(of)),))


def test_cost_and_name_come_from_the_question_s_bytes():
    one, question = device(), encode(label_question(epsilon=0.3, wave=2))
    report = decode(one.answer(question), Report)
    (entry,) = one.ledger.sent
    assert report.question == digest(question)
    assert (entry.question, entry.epsilon) == (QuestionId("health", 2, digest(question)), Fraction(0.3))
    assert decode(entry.report, Report) == report


def test_the_same_bytes_get_the_same_report_for_nothing():
    one, question = device(), encode(label_question())
    assert len({one.answer(question) for _ in range(20)}) == 1
    assert (one.ledger.spent, len(one.ledger.sent)) == (1, 1)
    again = Device(STUDY, (99.0, 20.0, "none", "north"), 0.0, (), one.ledger)  # whatever has changed meanwhile
    assert again.answer(question) == one.answer(question)


def test_another_byte_is_another_question_and_is_paid_for():
    one, question = device(), encode(label_question(epsilon=0.4))
    spaced = question.replace(b",", b", ", 1)
    assert json.loads(spaced) == json.loads(question)
    first, second = one.answer(question), one.answer(spaced)
    assert decode(first, Report).question != decode(second, Report).question
    assert one.ledger.spent == 2 * Fraction(0.4)


def test_all_questions_of_a_study_together_cost_at_most_its_epsilon():
    """Also where the person's limit leaves room: epsilon is what the study has promised."""
    one = device(limit=100)
    sent = one.answer(encode(label_question(epsilon=0.75)))
    with pytest.raises(WireError, match=r"too-costly.*0\.5 is more than what is left of the study's epsilon 1\.0"):
        one.answer(encode(label_question(epsilon=0.5, wave=2)))
    one.answer(encode(label_question(epsilon=0.25, wave=2)))
    assert one.ledger.spent == 1
    assert one.answer(encode(label_question(epsilon=0.75))) == sent
    another = Device(study_of("diet"), VALUES, LABEL, (), one.ledger)
    another.answer(encode(label_question(another.study)))
    assert one.ledger.spent == 2


def test_threads_cannot_spend_a_study_s_epsilon_twice():
    one, questions = device(limit=100), [encode(label_question(epsilon=0.4, wave=w)) for w in range(1, 9)]

    def ask(question):
        try:
            return one.answer(question)
        except WireError:
            return None

    with ThreadPoolExecutor(8) as pool:
        answered = [report for report in pool.map(ask, questions) if report is not None]
    assert len(answered) == len(one.ledger.sent) == 2


@pytest.mark.parametrize("places", [(0,), (1,), (0, 1)])
def test_thresholds_that_do_not_keep_the_cost_are_refused_before_anything_is_drawn_or_booked(places):
    """Those of twice the epsilon, written beside the smaller one: what is drawn with is what is paid for."""
    honest = Question(
        STUDY.digest,
        1,
        (
            ask_label("window", 0.0, 10.0, 0.2),
            AskBins(tuple(mechanism_message(GeneralisedResponse(0.2, n or 3)) for n in STUDY.n_values), 0.2),
        ),
    )
    data = json.loads(encode(honest))
    for place in places:
        ask = data["asks"][place]
        for mechanism in ask.get("mechanisms", [ask.get("mechanism")])[-1:]:
            mechanism["thresholds"] = [str(int(t) - 1) for t in mechanism["thresholds"]]
    source = Counted(seeded())
    one = device(source=source)
    one.enrol()  # draws for entries that might be missing, to find out what is public; answering does so again
    before = list(source.asked)
    with pytest.raises(WireError) as refused:
        one.answer(json.dumps(data).encode())
    assert refused.value.problem == "broken-claim"
    assert one.ledger.sent == ()
    assert source.asked == before * 2
    one.answer(encode(honest))
    assert one.ledger.spent == 3 * Fraction(0.2)  # the label, and two hidden features


def test_a_question_that_costs_more_than_the_study_allows_is_refused():
    one = device(limit=100)
    with pytest.raises(WireError) as refused:
        one.answer(encode(label_question(epsilon=1.5)))
    assert refused.value.problem == "too-costly"
    assert one.ledger.sent == ()


def test_a_question_of_another_study_is_refused():
    one = device()
    with pytest.raises(WireError) as refused:
        one.answer(encode(label_question(study_of("diet"))))
    assert refused.value.problem == "wrong-study"
    assert one.ledger.sent == ()


def test_a_question_beyond_the_person_s_limit_is_refused():
    one = device(limit=0.5)
    one.answer(encode(label_question(epsilon=0.4)))
    with pytest.raises(LimitError, match=r"what is left of the limit, 0\.1 of 0\.5\. Got 0\.2"):
        one.answer(encode(label_question(epsilon=0.2, wave=2)))
    assert one.ledger.spent == Fraction(0.4)


@pytest.mark.parametrize("broken", [b"", b"{}", b"[1]", b'{"message":"question","version":1}', b"\xff"])
def test_bytes_that_are_no_question_are_refused(broken):
    one = device()
    with pytest.raises(WireError):
        one.answer(broken)
    assert one.ledger.sent == ()


def test_what_is_public_knowledge_costs_nothing_and_is_sent_as_it_is():
    one = device()
    question = cell_question(one, (1, 3))  # age and region, which this person hides neither of
    sent = {one.answer(encode(question)) for _ in range(5)}
    assert one.ledger.sent == ()
    (report,) = (decode(raw, Report) for raw in sent)
    assert report.answers == ((1,),)  # younger than 59, south
    secret = cell_question(one, (1, 2))
    one.answer(encode(secret))
    assert one.ledger.spent == Fraction(0.5)


def test_a_cell_that_is_public_sent_with_the_residual_is_paid_for():
    """The label is private in it."""
    one = device()
    partition = Partition(STUDY.bounds, (3,), (2,), Tree())
    ask = JointTerms(partition, np.zeros(1), 1.0, 0.3, 0.5).ask(public(one))
    one.answer(encode(Question(STUDY.digest, 1, (ask,))))
    assert one.ledger.spent == Fraction(0.5)


def test_ten_studies_of_a_tenth_fit_a_limit_of_one():
    """A tenth in bytes is a little more than 1/10; what is booked is what is drawn with, and the limit has room."""
    ledger = Ledger(1)
    for i in range(10):
        one = Device(study_of(f"study {i}", 0.1), VALUES, LABEL, (), ledger)
        one.answer(encode(label_question(one.study)))
    assert (ledger.spent, ledger.left) == (10 * Fraction(0.1), 0)
    assert 1 < ledger.spent < 1 + Fraction(1, 10**12)
    last = Device(study_of("study 10", 0.1), VALUES, LABEL, (), ledger)
    with pytest.raises(LimitError):
        last.answer(encode(label_question(last.study)))


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 1 / 3, 0.7])
def test_what_is_drawn_with_never_exceeds_what_is_booked(epsilon):
    one = device(study_of(epsilon=epsilon), hidden=())
    question = label_question(one.study)
    one.answer(encode(question))
    (ask,) = question.asks
    assert Fraction(ask.epsilon) == one.ledger.spent
    assert Fraction(read_mechanism(ask.mechanism, ask.epsilon).realised_epsilon) <= one.ledger.spent


def test_an_enrolment_holds_what_is_public_and_nothing_else():
    data = json.loads(device().enrol())
    assert data["public"] == [None, 44.0, None, "south"]  # illness is private for everybody
    hidden = json.loads(device(study_of(hide_mask=True)).enrol())
    assert hidden["public"] == [None] * 4


def test_private_values_change_no_byte_of_an_enrolment():
    first = device().enrol()
    for income in (0.0, 100.0, -7.0, None, float("nan"), float("inf")):
        for illness in ("none", "other", "unheard of", None):
            for label in (0.0, 99.0, float("nan")):
                assert device(values=(income, 44.0, illness, "south"), label=label).enrol() == first


def test_no_private_value_is_refused():
    for income in (-7.0, None, float("nan"), float("-inf"), "much"):
        for illness in ("unheard of", None):
            one = device(values=(income, 44.0, illness, "south"), label=float("nan"))
            one.answer(encode(cell_question(one, (0, 2))))
            one.answer(encode(label_question(epsilon=0.5)))
    with pytest.raises(InputError, match=r"^Public features must not be missing\. Got NaN in 1 rows, feature 'region'"):
        device(values=(1.0, 44.0, "flu", "west")).enrol()


@pytest.mark.parametrize("number", [31, np.int64(31), np.float32(31), True])
def test_numbers_of_any_type_are_numbers(number):
    """Not missing: with hardly any noise the third bin of four is sent."""
    study = study_of(epsilon=50.0)
    one = device(study, limit=100, values=(number, 44.0, "flu", "south"))
    partition = Partition(study.bounds, (0,), (4,), Tree())
    ask = ask_cell(partition, "grr", 50.0, public(one))
    report = decode(one.answer(encode(Question(study.digest, 1, (ask,)))), Report)
    assert report.answers == ((int(float(number) // 25),),)


@pytest.mark.parametrize(("centre", "centres"), [(1e300, (0.0,)), (0.0, (-1e308,))])
def test_a_centre_that_could_overflow_is_refused(centre, centres):
    """Where leaves are private, a warning of the overflow would tell which leaf it was."""
    one = device()
    partition = Partition(STUDY.bounds, (0,), (2,), Tree())
    ask = JointTerms(partition, np.array(centres), 1.0, 0.3, 0.5).ask(public(one))
    with pytest.raises(WireError, match=r"a centre is at most 1e\+100"):
        one.answer(encode(Question(STUDY.digest, 1, (ask,), centre=centre)))


def test_a_device_draws_what_arrays_of_people_draw():
    """The same words give the same numbers, and the curator takes them."""
    one = device(source=SeededSource(4))
    enrolled, _ = take_enrolments(STUDY, [one.enrol()])
    state = State(STUDY, enrolled, {})
    for question in (label_question(epsilon=0.5), cell_question(one, (0, 2))):
        asked = Asked(question, np.array([0]))
        raw = one.answer(question_bytes(asked, 0))
        collected, refused = take_reports(state, Wave("label", (asked,)), [[raw]])
        assert refused == []
        assert collected.answers[0][0].of(0) == list(decode(raw, Report).answers[0])


@pytest.mark.parametrize(
    ("values", "hidden", "name"),
    [((1.0,), (), "values"), (VALUES, ("wealth",), "hidden"), ((*VALUES, 1.0), (), "values")],
)
def test_what_does_not_fit_the_study_is_refused(values, hidden, name):
    with pytest.raises(InputError, match=f"^`{name}` must be "):
        Device(STUDY, values, LABEL, hidden, Ledger(1))


def test_a_device_that_is_not_among_the_sizes_of_a_question_pays_nothing():
    """A question must name a mechanism for the person's number of candidates, which is public."""
    one = device()
    everything = Enrolled(np.full((1, 4), np.nan), np.ones((1, 4), dtype=np.bool_))
    partition = Partition(STUDY.bounds, (0, 1), (2, 2), Tree())
    question = Question(STUDY.digest, 1, (ask_cell(partition, "grr", 0.5, everything),))
    with pytest.raises(WireError, match="no mechanism for 2 candidates"):
        one.answer(encode(question))
    assert one.ledger.sent == ()
