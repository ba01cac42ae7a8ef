"""A device's ledger: a question is answered once, costs add up exactly over all studies, nothing private is kept."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semildp import InputError, LimitError
from semildp.budgets import Budget, float_at_most
from semildp.client import Device, Ledger, QuestionId
from semildp.client.ledger_text import ledger_bytes, parse_ledger
from semildp.protocols.asks import ask_label
from semildp.sources import SystemSource
from semildp.study import Category, Feature, Number, Study
from semildp.wire.codec import digest, encode
from semildp.wire.messages import Question

EPSILONS = st.floats(1e-6, 1e3) | st.fractions(Fraction(1, 10**6), 1000) | st.decimals("0.001", "50", places=6)


def question(number=0, study="health", round=1):
    return QuestionId.of(study, round, f"question {number}")


def filled(limit=2, n=3):
    ledger = Ledger(limit)
    for i in range(n):
        ledger.answer(question(i), 0.5, lambda epsilon, i=i: bytes([i, 255]))
    return ledger


def test_the_same_question_gets_the_same_bytes_and_costs_nothing():
    ledger, drawn = Ledger(1), []

    def draw(epsilon):
        drawn.append(SystemSource().words(4).tobytes())
        return drawn[-1]

    sent = {ledger.answer(question(), 1, draw) for _ in range(5)}
    assert sent == set(drawn)
    assert len(drawn) == 1
    assert (ledger.spent, ledger.left) == (1, 0)


def test_ten_tenths_are_one():
    ledger = Ledger(1.0)
    for i in range(10):
        ledger.answer(question(i), 0.1, lambda epsilon: b"")
    assert ledger.left == 0
    with pytest.raises(LimitError, match=r"^`epsilon` must be at most what is left of the limit, 0 of 1\. Got 0\.1\."):
        ledger.answer(question(10), 0.1, lambda epsilon: b"")


def test_a_total_above_its_limit_by_one_part_in_a_million_million_counts_as_within_it():
    """0.1 as a computer holds it is a little more than a tenth. The room is for the total, not for each question."""
    ledger = Ledger(1)
    for i in range(10):
        ledger.answer(question(i), Fraction(0.1), lambda epsilon: b"")
    assert 1 < ledger.spent < 1 + Fraction(1, 10**16)
    assert ledger.left == 0
    assert parse_ledger(ledger_bytes(ledger.limit, ledger.sent)) == (1, list(ledger.sent))
    ledger.change_limit(2)
    ledger.change_limit(1)
    room, grain = Fraction(1, 2**40), Fraction(1, 10**30)
    with pytest.raises(LimitError):
        Ledger(5).answer(question(), 5 + 5 * room + grain, lambda epsilon: b"")
    full = Ledger(5)
    full.answer(question(), 5 + 5 * room, lambda epsilon: b"")
    with pytest.raises(LimitError):
        full.answer(question(1), grain, lambda epsilon: b"")


@given(st.floats(1e-3, 10), st.floats(0.01, 0.99))
def test_both_rounds_of_a_budget_fit_its_epsilon(epsilon, share):
    budget, ledger = Budget(epsilon, share), Ledger(Fraction(epsilon))
    for round, part in enumerate((budget.label, budget.cell), start=1):
        ledger.answer(question(round=round), Fraction(part), lambda spend, part=part: repr(spend == part).encode())
    assert [entry.report for entry in ledger.sent] == [b"True"] * 2
    assert ledger.spent <= Fraction(epsilon)


def test_the_limit_counts_over_all_studies():
    ledger = Ledger(1)
    ledger.answer(question(study="health"), 0.5, lambda epsilon: b"")
    ledger.answer(question(study="diet"), 0.4, lambda epsilon: b"")
    with pytest.raises(LimitError, match=r"what is left of the limit, 0\.1 of 1\. Got 0\.2"):
        ledger.answer(question(study="sleep"), 0.2, lambda epsilon: b"")
    ledger.answer(question(study="sleep"), 0.1, lambda epsilon: b"")
    assert (ledger.spent, ledger.left) == (1, 0)


def test_the_person_may_change_the_limit_but_not_below_what_is_spent():
    ledger = filled(limit=2, n=3)
    with pytest.raises(InputError, match=r"^`limit` must be at least 3/2, which is spent already\. Got 1\."):
        ledger.change_limit(1)
    ledger.change_limit(1.5)
    with pytest.raises(LimitError):
        ledger.answer(question(4), 0.5, lambda epsilon: b"")
    ledger.change_limit(2)
    ledger.answer(question(4), 0.5, lambda epsilon: b"")
    assert (ledger.limit, ledger.left) == (2, 0)


@given(st.lists(st.tuples(st.integers(0, 9), EPSILONS), max_size=30), EPSILONS)
def test_what_is_spent_is_the_exact_sum_and_never_above_the_limit(asked, limit):
    """Against a second account, kept by hand: a refused or repeated question changes nothing."""
    ledger, paid = Ledger(limit), {}
    prices = dict(asked)
    for number, _ in asked:
        price = prices[number]
        cost = Fraction(repr(price)) if isinstance(price, float) else Fraction(price)
        most = Fraction(repr(limit)) if isinstance(limit, float) else Fraction(limit)
        most += most / 2**40  # one part in a million million
        fits = number in paid or sum(paid.values()) + cost <= most
        try:
            report = ledger.answer(question(number), price, lambda epsilon, n=number: b"%d" % n)
            assert fits
            assert report == b"%d" % number
            paid[number] = cost
        except LimitError:
            assert not fits
        assert ledger.spent == sum(paid.values()) <= most
        assert ledger.left == max(ledger.limit - ledger.spent, 0)
    assert parse_ledger(ledger_bytes(ledger.limit, ledger.sent)) == (ledger.limit, list(ledger.sent))


@given(EPSILONS)
def test_what_is_drawn_with_never_exceeds_what_is_written(epsilon):
    ledger, given_ = Ledger(10**4), []
    ledger.answer(question(), epsilon, lambda spend: given_.append(spend) or b"")
    assert Fraction(given_[0]) <= ledger.spent
    assert Fraction(np.nextafter(given_[0], np.inf)) > ledger.spent
    assert float_at_most(Fraction(1, 10)) < 0.1


def test_a_report_that_could_not_be_made_costs_nothing():
    ledger = Ledger(1)
    with pytest.raises(ZeroDivisionError):
        ledger.answer(question(), 1, lambda epsilon: b"%d" % (1 // 0))
    with pytest.raises(
        InputError, match=r"^`make_report` must be a function that returns bytes\. Got one that returned"
    ):
        ledger.answer(question(), 1, lambda epsilon: "text")
    assert ledger.sent == ()


def test_a_report_that_uses_the_ledger_itself_cannot_overspend():
    ledger = Ledger(1)
    with pytest.raises(LimitError):
        ledger.answer(question(1), 0.6, lambda epsilon: ledger.answer(question(2), 0.6, lambda e: b"inner"))
    assert ledger.spent == Fraction(3, 5)


def test_the_same_question_at_another_price_is_refused():
    with pytest.raises(InputError, match=r"^`epsilon` must be 1/2, as when this question was first answered\. Got 1\."):
        filled().answer(question(), 1, lambda epsilon: b"")


def test_another_study_round_or_text_is_another_question():
    questions = {question(), question(1), question(study="diet"), question(round=2)}
    assert len(questions) == 4


@pytest.mark.parametrize(
    "limit", [0, -1, float("nan"), float("inf"), None, True, "1", Decimal("NaN"), Decimal("1e9999")]
)
def test_a_limit_that_means_nothing_is_refused(limit):
    with pytest.raises(InputError, match=r"^`limit` must be a finite number above 0\. Got "):
        Ledger(limit)


@pytest.mark.parametrize("limit", [Fraction(10**3000 + 1, 10**3000), Decimal("1." + "3" * 2500)])
def test_a_number_that_could_not_be_read_again_is_refused(limit):
    with pytest.raises(InputError, match=r"^`limit` must be a fraction of numbers of at most 2000 digits\."):
        Ledger(limit)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("", 1, "x"), "study"),
        ((3, 1, "x"), "study"),
        (("s" * 201, 1, "x"), "study"),
        (("\ud83d\ude00", 1, "x"), "study"),  # two halves: a file would give back one whole, another name
        (("s", 0, "x"), "round"),
        (("s", True, "x"), "round"),
        (("s", 1, b"x"), "question"),
    ],
)
def test_a_question_without_a_proper_name_is_refused(arguments, name):
    with pytest.raises(InputError, match=f"^`{name}` must be "):
        QuestionId.of(*arguments)


def test_nothing_private_is_kept():
    """The file holds public names and the bytes that were sent; the same file for any person who sends the same."""
    features = (
        Feature("income", Number(0, 1)),
        Feature("age", Number(0, 1)),
        Feature("job", Category(("cook", "spy"))),
    )
    study = Study(name="health", epsilon=1.0, label=Number(0, 1), features=features)
    ledger = Ledger(2)
    device = Device(study, (0.987654321, 0.5, "spy"), 0.123456789, ("income", "job"), ledger)
    asked = encode(Question(study.digest, 1, (ask_label("laplace", 0.0, 1.0, 0.75),)))
    report = device.answer(asked)
    for secret in (b"987654", b"123456789", b"spy"):
        assert secret not in report + device.enrol()
    copy = Ledger(2)
    copy.answer(QuestionId("health", 1, digest(asked)), Fraction(0.75), lambda epsilon: report)
    assert ledger_bytes(ledger.limit, ledger.sent) == ledger_bytes(copy.limit, copy.sent)
