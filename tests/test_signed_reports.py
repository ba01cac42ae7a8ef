"""The residual turned round by signs: the guarantee of what travels, its law and mean, its cost, what is said of it."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import msgspec
import numpy as np
import pytest

from semildp import masks
from semildp.audit.statistics import assert_counts
from semildp.client import Device, Ledger, answer, enrol, ready
from semildp.curator.transcript import Transcript
from semildp.curator.wave_menu import Asking
from semildp.curator.waves import Asked, Collected, State, Wave
from semildp.explain import what_left
from semildp.mechanisms import GeneralisedResponse
from semildp.partition import Partition, Tree
from semildp.protocols.asks import ask_label, ask_residual
from semildp.sources import SeededSource
from semildp.study import Category, Feature, Number, Study
from semildp.wire.codec import decode, encode
from semildp.wire.costs import cost_at_most, own_cost, prices
from semildp.wire.forms import mechanism_message, partition_message
from semildp.wire.messages import AskSigned, Question, Report
from semildp.wire.problems import WireError
from semildp.wire.verify import verify
from tests.battery.travels import law_of, worst_log_ratio
from tests.reference import pairs

STUDY = Study(
    name="signs",
    epsilon=4.0,
    label=Number(-20, 20),
    features=(
        Feature("a", Number(0, 1)),
        Feature("b", Number(0, 1)),
        Feature("kind", Category(("red", "green", "blue"))),
    ),
)
HIDDEN = msgspec.structs.replace(STUDY, hide_mask=True)
CASES = [((1,), (4,)), ((2,), (3,)), ((1, 2), (2, 3))]
RESIDUALS = (-9.0, -1.0, -0.4, 0.0, 0.7, 1.0, 9.0)
NUMBERS, CODES = (0.0, 0.3, 0.6, 1.0), (0.0, 1.0, 2.0)


def ask_of(features=(1,), bins=(4,), levels=3, epsilon=1.0, reach=1.0, signs=None):
    """Ask for the residual, turned round in every second cell."""
    partition = Partition(STUDY.bounds, features, bins, Tree())
    signs = signs or tuple(1 - 2 * (cell % 2) for cell in range(partition.n_cells))
    mechanism = mechanism_message(GeneralisedResponse(epsilon, levels))
    return AskSigned(partition_message(partition), signs, reach, mechanism, epsilon)


def question_of(ask, study=STUDY, centre=0.0):
    return Question(study.digest, 2, (ask,), centre)


def rows_of(features):
    """Rows with every value of these features; the others are the same in all of them."""
    values = [(CODES if j == 2 else NUMBERS) if j in features else ((0.0,) if j == 2 else (0.5,)) for j in range(3)]
    return list(itertools.product(*values))


def sign_of(ask, row):
    """The sign of a row's cell, digit by digit."""
    cell = 0
    for j, bins in zip(ask.partition.features, ask.partition.bins, strict=True):
        cell = cell * bins + (int(row[j]) if j == 2 else min(int(row[j] * bins), bins - 1))
    return ask.signs[cell]


@pytest.mark.parametrize("study", [STUDY, HIDDEN], ids=["masks shown", "masks hidden"])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("levels", [2, 3, 4])
@pytest.mark.parametrize(("features", "bins"), CASES)
def test_any_change_of_private_features_and_label_costs_at_most_epsilon(features, bins, levels, epsilon, study):
    """Numbers and categories, in the bytes that travel, without tolerance."""
    question, mask = question_of(ask_of(features, bins, levels, epsilon), study), np.isin(np.arange(3), features)
    inputs = itertools.product(rows_of(features), RESIDUALS)
    worst = worst_log_ratio([law_of(study, question, row, y, mask) for row, y in inputs])
    assert 0.99 * epsilon <= worst <= epsilon


def test_a_word_for_each_interval_stands_for_all_of_it():
    """The first word of every interval gives the same law as the last."""
    question = question_of(ask_of(levels=4))
    for row, y in itertools.product(rows_of((1,)), RESIDUALS):
        laws = [law_of(STUDY, question, row, y, [False, True, False], last=last) for last in (False, True)]
        assert laws[0] == laws[1]


def test_label_and_residual_in_one_question_cost_their_sum():
    asks = ask_label("window", -20.0, 20.0, 0.5), ask_of((1, 2), (2, 3), 2, 1.5)
    question = Question(STUDY.digest, 1, asks)
    inputs = itertools.product(rows_of((1, 2))[::5], (-20.0, -0.4, 20.0))
    laws = [law_of(STUDY, question, row, y, [False, True, True]) for row, y in inputs]
    assert 0.99 * 2.0 <= worst_log_ratio(laws) <= 2.0


def literal_law(ask, row, residual):
    """The law of the level by the definitions: turned, cut, rounded at random, then sent by generalised response."""
    levels, turned = ask.mechanism.values, sign_of(ask, row) * residual
    e = math.exp(ask.epsilon)
    sent = {v: {u: (e if u == v else 1.0) / (e + levels - 1) for u in range(levels)} for v in range(levels)}
    return pairs.rounded(sent, 0, levels, pairs.place(turned, ask.reach, levels))


@pytest.mark.parametrize("levels", [2, 3, 5])
@pytest.mark.parametrize(("features", "bins"), CASES)
def test_the_law_of_the_bytes_is_the_one_of_the_definitions(features, bins, levels):
    """The centre is taken off before the sign is put on; thresholds are of 64 bits, so to 12 digits."""
    ask = ask_of(features, bins, levels, reach=0.9)
    question, mask = question_of(ask, centre=5.25), np.isin(np.arange(3), features)
    for row, residual in itertools.product(rows_of(features), (-2.0, 0.25, 0.75)):
        law = law_of(STUDY, question, row, 5.25 + residual, mask)
        sent = {decode(raw, Report).answers[0][0]: chance for raw, chance in law.items()}
        expected = literal_law(ask, row, residual)
        assert set(sent) == set(expected)
        assert all(abs(float(sent[level]) / expected[level] - 1) < 1e-12 for level in sent)


@pytest.mark.parametrize("levels", [2, 3, 4])
@pytest.mark.parametrize(("features", "bins"), CASES)
def test_the_mean_of_what_is_sent_is_sign_times_cut_residual(features, bins, levels):
    """Levels are numbers on [-reach, reach]; their mean over the exact law, divided by the share that is kept."""
    ask, mask = ask_of(features, bins, levels, reach=0.8), np.isin(np.arange(3), features)
    kept = 1 - int(ask.mechanism.thresholds[0]) / 2.0**64
    for row, residual in itertools.product(rows_of(features), RESIDUALS):
        law = law_of(STUDY, question_of(ask), row, residual, mask)
        level = sum(decode(raw, Report).answers[0][0] * float(chance) for raw, chance in law.items())
        mean = (2 * level / (levels - 1) - 1) * 0.8 / kept
        assert mean == pytest.approx(sign_of(ask, row) * min(max(residual, -0.8), 0.8), abs=1e-12)


@pytest.mark.parametrize(("row", "residual"), [((0.5, 0.3, 1.0), 0.3), ((0.5, 0.9, 2.0), -2.0)])
def test_the_client_draws_from_that_law(row, residual):
    """How often 20,000 people of one kind send each level; false alarm at most 1e-6 per test."""
    n, ask = 20_000, ask_of((1, 2), (2, 3), 4, reach=0.9)
    people = ready(STUDY, np.tile(row, (n, 1)), np.full(n, residual), masks.aligned(n, 3, [1, 2]), SeededSource(5))
    (marks,) = answer(STUDY, question_of(ask), people, SeededSource(0))
    law = literal_law(ask, row, residual)
    counts = [int((marks.value == level).sum()) for level in law]
    assert_counts(counts, n, list(law.values()), "levels are not sent as often as enumerated")


def test_every_person_s_own_centre_is_taken_off():
    """With hardly any noise, people whose labels lie at their own centre send the middle level, whatever the sign."""
    n, study = 500, msgspec.structs.replace(STUDY, epsilon=50.0)
    rng = np.random.default_rng(0)
    centres, rows = rng.uniform(-10, 10, n), np.column_stack([rng.uniform(size=(n, 2)), rng.integers(0, 3, n)])
    people = ready(study, rows, centres, masks.aligned(n, 3, [1]), SeededSource(5))
    (marks,) = answer(study, question_of(ask_of(epsilon=50.0), study), people, SeededSource(0), centres)
    assert set(marks.value.tolist()) == {1}


ENROLLED = enrol(
    ready(
        STUDY,
        np.tile([0.5, 0.3, 1.0], (4, 1)),
        np.zeros(4),
        np.array([[False, True, True], [False, True, False], [True, False, False], [False, False, False]]),
        SeededSource(0),
    )
)


def test_who_hides_nothing_of_the_partition_pays_for_the_label():
    """Everybody pays all of epsilon: for features and label together, or for the label where the cell is public."""
    ask = ask_of((1, 2), (2, 3), epsilon=1.5)
    question = question_of(ask)
    which, price = prices(ask, STUDY.bounds, ENROLLED)
    assert [price[k].label for k in which] == [0.0, 0.0, 1.5, 1.5]
    assert [price[k].features for k in which] == [1.5, 1.5, 0.0, 0.0]
    assert [price[k].times for k in which] == [1] * 4
    assert [own_cost(question, STUDY, ENROLLED[i : i + 1]) for i in range(4)] == [Fraction(1.5)] * 4
    assert cost_at_most(question, 0) == cost_at_most(question, 3) == Fraction(1.5)


@pytest.mark.parametrize("hidden", [(), ("a",), ("b", "kind")])
def test_a_device_books_what_it_draws_with(hidden):
    device = Device(STUDY, (0.5, 0.3, "green"), 1.0, hidden, Ledger(10), SeededSource(0))
    device.answer(encode(question_of(ask_of((1, 2), (2, 3), epsilon=1.5))))
    assert device.ledger.spent == Fraction(1.5)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"signs": (1, -1, 1)}, "wrong-count"),
        ({"signs": (1, -1) * 3}, "wrong-count"),
        ({"reach": float("nan")}, "out-of-domain"),
        ({"reach": 0.0}, "out-of-domain"),
        ({"epsilon": 0.5}, "broken-claim"),
        ({"epsilon": 2.0}, "broken-claim"),
        ({"mechanism": mechanism_message(GeneralisedResponse(1.0, 1))}, "out-of-domain"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_not_answered(change, problem):
    """Messages that were read from bytes or not; the vectors have more of those that travel."""
    verify(STUDY, question_of(ask_of()), 3)
    with pytest.raises(WireError) as refused:
        verify(STUDY, question_of(msgspec.structs.replace(ask_of(), **change)), 3)
    assert refused.value.problem == problem


def told(*asks):
    """What a transcript of these questions, asked of everybody, says has left a device."""
    waves = [Collected(Wave("pair", (Asked(question_of(ask), np.arange(4)),))) for ask in asks]
    return what_left(STUDY, Transcript.of(State(STUDY, ENROLLED, {}, waves)))[1:]


def test_what_left_is_told_in_plain_words():
    by = "by generalised randomised response"
    assert told(ask_of((1, 2), (2, 3))) == (
        "wave 2, 4 people: the label's residual, turned round or not by which of 2 bins b is in and which of 3 values "
        f"kind has, {by}",
    )
    assert told(ask_of((), ())) == (f"wave 2, 4 people: the label's residual, {by}",)
    other = msgspec.structs.replace(ask_of(), signs=(1, 1, -1, -1))
    turned = "the label's residual, turned round or not by which of 4 bins b is in"
    assert told(ask_of(), other) == (f"wave 2, 8 people: {turned}, {by}",)


def test_the_curator_s_choice_is_written_down_as_it_is():
    """One mechanism over levels, whatever the number of cells; without signs, cell and level together."""
    asking = Asking((1, 2), (2, 3), (1, -1, 1, 1, -1, -1))
    ask = ask_residual(STUDY, asking, 0.7, 0.3, 2.0)
    assert isinstance(ask, AskSigned)
    assert (ask.partition.features, ask.partition.bins) == ((1, 2), (2, 3))
    assert (ask.signs, ask.reach, ask.epsilon, ask.mechanism.kind) == (asking.signs, 0.7, 2.0, "generalised")
    verify(STUDY, question_of(ask), 3)
    assert not isinstance(ask_residual(STUDY, Asking((1, 2), (2, 3)), 0.7, 0.3, 2.0), AskSigned)
