"""The class of the label, with a cell or alone: the guarantee of what travels, its law, mean, cost and words."""

from __future__ import annotations

import itertools
from fractions import Fraction

import msgspec
import numpy as np
import pytest

from semildp import masks
from semildp.audit.statistics import assert_counts
from semildp.client import Device, Ledger, answer, check_labels, enrol, ready
from semildp.client.completing import check_classes
from semildp.curator.transcript import Transcript
from semildp.curator.waves import Asked, Collected, State, Wave
from semildp.errors import InputError
from semildp.explain import plainly, what_left
from semildp.mechanisms import (
    BinaryResponse,
    ClassResponse,
    GeneralisedResponse,
    PairedResponse,
    best_class_response,
)
from semildp.partition import Partition, Tree
from semildp.sources import SeededSource
from semildp.study import Category, Classes, Feature, Number, Study
from semildp.wire.codec import decode, encode
from semildp.wire.costs import cost_at_most, own_cost, prices
from semildp.wire.forms import by_size, partition_message
from semildp.wire.messages import AskClass, Question, Report
from semildp.wire.problems import WireError
from semildp.wire.verify import verify
from tests.battery.travels import counts_of, law_of, worst_log_ratio

STUDY = Study(
    name="classes",
    epsilon=4.0,
    label=Classes(("no", "perhaps", "yes")),
    features=(
        Feature("a", Number(0, 1)),
        Feature("b", Number(0, 1)),
        Feature("kind", Category(("red", "green", "blue"))),
    ),
)
HIDDEN = msgspec.structs.replace(STUDY, hide_mask=True)
TREE = Tree((0, -1, -1), (0.5, 0.0, 0.0), (1, 0, 0))
CELLS = {
    "alone": Partition(STUDY.bounds, (), (), Tree()),
    "one feature": Partition(STUDY.bounds, (1,), (2,), Tree()),
    "a category": Partition(STUDY.bounds, (2,), (3,), Tree()),
    "two features": Partition(STUDY.bounds, (1, 2), (2, 3), Tree()),
    "with a tree": Partition(STUDY.bounds, (1,), (2,), TREE),
}
C, NUMBERS, CODES = 3, (0.0, 0.3, 0.6, 1.0), (0.0, 1.0, 2.0)


def ask_of(cells="one feature", kind="generalised", epsilon=1.0, width=None):
    partition = CELLS[cells]
    sizes = range(1, partition.n_cells + 1)
    widths = [width if width is not None and width < C * k else None for k in sizes]
    mechanisms = by_size(
        (k, ClassResponse(epsilon, k, C, kind, w).mechanism) for k, w in zip(sizes, widths, strict=True)
    )
    return AskClass(partition_message(partition), mechanisms, epsilon)


def question_of(ask, study=STUDY):
    return Question(study.digest, 2, (ask,))


def rows():
    return list(itertools.product((0.2,), NUMBERS, CODES))


@pytest.mark.parametrize("study", [STUDY, HIDDEN], ids=["masks shown", "masks hidden"])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
@pytest.mark.parametrize(("kind", "width"), [("generalised", None), ("subset", 1), ("subset", 2)])
@pytest.mark.parametrize("cells", ["alone", "one feature", "a category", "with a tree"])
def test_any_change_of_private_features_and_class_costs_at_most_epsilon(cells, kind, width, epsilon, study):
    """Numbers and categories, in the bytes that travel, without tolerance; a class that is none is one at random."""
    question = question_of(ask_of(cells, kind, epsilon, width), study)
    laws = [law_of(study, question, row, y, [False, True, True]) for row in rows()[::2] for y in (0.0, 1.0, 2.0)]
    assert 0.99 * epsilon <= worst_log_ratio(laws) <= epsilon


def test_a_word_for_each_interval_stands_for_all_of_it():
    question = question_of(ask_of("a category", "subset", width=2))
    for row in rows()[::3]:
        laws = [law_of(STUDY, question, row, 1.0, [False, True, True], last=last) for last in (False, True)]
        assert laws[0] == laws[1]


def test_class_and_cell_apart_cost_their_sum():
    alone, both = ask_of("alone", "generalised", 0.5), ask_of("one feature", "generalised", 1.5)
    question = Question(STUDY.digest, 1, (alone, both))
    laws = [law_of(STUDY, question, row, y, [False, True, True]) for row in rows()[::4] for y in (0.0, 2.0)]
    assert 0.99 * 2.0 <= worst_log_ratio(laws) <= 2.0


def cell_of(cells, row):
    """A row's cell, digit by digit, leaf first."""
    leaf = int(row[0] >= 0.5) if cells == "with a tree" else 0
    for j, bins in zip(CELLS[cells].histogram_features, CELLS[cells].bins, strict=True):
        leaf = leaf * bins + (int(row[j]) if j == 2 else min(int(row[j] * bins), bins - 1))
    return leaf


@pytest.mark.parametrize(("kind", "width"), [("generalised", None), ("subset", None), ("subset", 4)])
@pytest.mark.parametrize("cells", ["alone", "one feature", "a category"])
def test_marks_count_people_of_a_cell_and_class_without_bias(cells, kind, width):
    """Over the exact law: E[per_mark * marks] + per_person / C is 1 at the true (cell, class), 0 elsewhere."""
    ask, n_cells = ask_of(cells, kind, 1.0, width if n_values(cells) > 4 else None), CELLS[cells].n_cells
    message = ask.mechanisms[str(n_cells)]
    response = ClassResponse(1.0, n_cells, C, kind, message.width)
    for row, y in itertools.product(rows()[::3], (0, 2)):
        law = law_of(STUDY, question_of(ask), row, float(y), [False, True, True])
        marks = np.zeros(n_cells * C)
        for raw, chance in law.items():
            marks[list(decode(raw, Report).answers[0])] += float(chance)
        people = response.per_mark * marks + response.per_person / C
        assert np.abs(people - (np.arange(n_cells * C) == cell_of(cells, row) * C + y)).max() < 1e-12
        for target in range(C):
            scores = response.of_class(target).scores
            sums = response.per_score * marks.reshape(n_cells, C) @ scores
            true = (np.arange(n_cells) == cell_of(cells, row)) * ((y == target) - 1 / C)
            assert np.abs(sums - true).max() < 1e-12


def n_values(cells):
    return CELLS[cells].n_cells * C


def test_the_client_draws_from_that_law():
    """How often 20,000 people of one kind send each report; false alarm at most 1e-6."""
    n, question, row = 20_000, question_of(ask_of("a category", "subset", width=2)), (0.2, 0.3, 1.0)
    people = ready(STUDY, np.tile(row, (n, 1)), np.full(n, 2.0), masks.aligned(n, 3, [1, 2]), SeededSource(5))
    law = law_of(STUDY, question, row, 2.0, [False, True, True])
    counts = counts_of(question, answer(STUDY, question, people, SeededSource(0)), law)
    assert_counts(counts, n, [float(p) for p in law.values()], "reports are not sent as often as enumerated")


def test_what_is_no_class_is_drawn_from_all_of_them():
    """Of 30,000 labels that are missing, unknown or between two classes; false alarm at most 1e-6."""
    n, bad = 30_000, [np.nan, -1.0, 3.0, 0.5, np.inf, -np.inf]
    drawn = check_classes(3, np.tile(bad, n // 6), SeededSource(0), clip=True)
    assert_counts([int((drawn == c).sum()) for c in range(3)], n, [1 / 3] * 3, "classes are not drawn evenly")
    same = np.array([0.0, 2.0, 1.0])
    np.testing.assert_array_equal(check_classes(3, same, SeededSource(0), clip=True), same)
    with pytest.raises(InputError, match="in 1 of 2 rows"):
        check_classes(3, np.array([0.0, 7.0]))
    with pytest.raises(InputError):
        check_labels(None, same)


def test_a_device_takes_a_word_and_never_tells_that_it_was_none():
    raw = encode(question_of(ask_of("alone", epsilon=4.0)))
    for label in ("yes", "never", None, 2, ""):
        device = Device(STUDY, (0.5, 0.3, "green"), label, ("b",), Ledger(10), SeededSource(0))
        (sent,) = decode(device.answer(raw), Report).answers
        assert len(sent) == 1
        assert device.ledger.spent == Fraction(4)


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
    ask = ask_of("two features", epsilon=1.5)
    which, price = prices(ask, STUDY.bounds, ENROLLED)
    assert [price[k].label for k in which] == [0.0, 0.0, 1.5, 1.5]
    assert [price[k].features for k in which] == [1.5, 1.5, 0.0, 0.0]
    assert [own_cost(question_of(ask), STUDY, ENROLLED[i : i + 1]) for i in range(4)] == [Fraction(1.5)] * 4
    assert cost_at_most(question_of(ask), 3) == Fraction(1.5)
    alone, price = prices(ask_of("alone"), STUDY.bounds, ENROLLED)
    assert {price[k].label for k in alone} == {1.0}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"epsilon": 0.5}, "broken-claim"),
        ({"mechanisms": by_size([(2, GeneralisedResponse(1.0, 4))])}, "out-of-domain"),
        ({"mechanisms": by_size([(2, GeneralisedResponse(1.0, 9))])}, "out-of-domain"),
        ({"mechanisms": by_size([(2, BinaryResponse(1.0, 6))])}, "out-of-domain"),
        ({"mechanisms": by_size([(2, PairedResponse(1.0, 3))])}, "out-of-domain"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_not_answered(change, problem):
    verify(STUDY, question_of(ask_of()), 3)
    spoilt = msgspec.structs.replace(ask_of(), **change)
    with pytest.raises(WireError) as refused:
        verify(STUDY, question_of(spoilt), 3)
    assert refused.value.problem == problem


def told(*asks):
    waves = [Collected(Wave("cell", (Asked(question_of(ask), np.arange(4)),))) for ask in asks]
    return what_left(STUDY, Transcript.of(State(STUDY, ENROLLED, {}, waves)))[1:]


def test_what_left_is_told_in_plain_words():
    by = "by generalised randomised response"
    assert told(ask_of("alone")) == (f"wave 2, 4 people: the label's class, {by}",)
    assert told(ask_of("two features")) == (
        f"wave 2, 4 people: which of 2 bins b is in, which of 3 values kind has and the label's class, jointly, {by}",
    )
    assert "the cell and the label's class, jointly" in told(ask_of("with a tree"))[0]
    assert plainly(STUDY, question_of(ask_of("alone"))) == "their label"
    assert "“b” and “kind”" in plainly(STUDY, question_of(ask_of("two features")))
    assert "which of a few groups" in plainly(STUDY, question_of(ask_of("with a tree")))


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
@pytest.mark.parametrize(("candidates", "classes"), [(1, 2), (1, 12), (6, 2), (20, 5)])
def test_the_response_of_least_noise_is_taken(epsilon, candidates, classes):
    best = best_class_response(epsilon, candidates, classes)
    each = [ClassResponse(epsilon, candidates, classes, kind).total_noise for kind in ("generalised", "subset")]
    assert best.total_noise == pytest.approx(min(each), rel=1e-12)
    assert best_class_response(1.0, 5000, 2).kind == "generalised", "short reports among very many values"


@pytest.mark.parametrize("kind", ["generalised", "subset"])
@pytest.mark.parametrize("candidates", [1, 3])
def test_noise_and_influence_are_those_of_all_outputs(candidates, kind):
    """By enumeration: the mean square of scores, summed over cells and classes; how far one report moves a sum."""
    response = ClassResponse(1.0, candidates, C, kind, 2 if kind == "subset" else None)
    outputs = np.asarray(response.mechanism.output_domain)
    marks = outputs if kind == "subset" else np.eye(candidates * C, dtype=np.int64)[outputs]
    chance = np.exp(response.mechanism.log_probability(outputs, np.zeros(len(outputs), dtype=np.int64)))
    square, moved = 0.0, []
    for target in range(C):
        sums = response.per_score * marks.reshape(-1, candidates, C) @ response.of_class(target).scores
        square += float(chance @ (sums**2).sum(axis=1))
        moved.append(float((sums.max(axis=0) - sums.min(axis=0)).max()))
        assert response.of_class(target).influence[1] == pytest.approx(moved[-1])
    people = response.per_mark * marks.reshape(-1, candidates, C).sum(axis=2)
    assert response.influence[0] == pytest.approx(float((people.max(axis=0) - people.min(axis=0)).max()))
    assert response.total_noise == pytest.approx(square, rel=1e-12)
