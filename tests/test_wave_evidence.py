"""Reading waves: labels without bias, each with its variance; what was cut elsewhere, and few people, count right."""

from __future__ import annotations

import numpy as np
import pytest

from semildp.curator.label_law import place_ask
from semildp.curator.pair_plan import cut_normal
from semildp.curator.wave_evidence import (
    answered_pairs,
    label_groups,
    law_of,
    pooled,
    residual_groups,
    residual_reports,
    told_about,
)
from semildp.curator.wave_menu import Asking
from semildp.curator.waves import Asked, Collected, State, Wave
from semildp.domains import LabelGrid
from semildp.mechanisms import PairResponse
from semildp.partition import Partition, Tree
from semildp.protocols.asks import ask_label, ask_residual
from semildp.sources import SeededSource
from semildp.study import Feature, Number, Study
from semildp.wire.columns import Enrolled, Marks
from semildp.wire.forms import by_size, partition_message, read_mechanism
from semildp.wire.messages import AskPair, Question

EPSILON = 2.0
UNIT = 0.25  # variance of residuals, as far as is known
STUDY = Study(
    name="evidence",
    epsilon=EPSILON,
    label=Number(-4, 4),
    features=(Feature("a", Number(0, 1)), Feature("b", Number(0, 1))),
)


def state_of(*waves: tuple[object, list[int], Marks, np.ndarray | None]) -> State:
    """Return a state after waves of one question each: (ask, people, what they sent, centres)."""
    n = 1 + max((max(people, default=0) for _, people, _, _ in waves), default=0)
    public = np.column_stack([np.full(n, np.nan), np.linspace(0, 1, n)])
    state = State(STUDY, Enrolled(public, np.tile([True, False], (n, 1))), {})
    for number, (ask, people, marks, centres) in enumerate(waves):
        asked = Asked(Question(STUDY.digest, number + 1, (ask,), 0.5), np.array(people, dtype=np.int64), centres)
        state.done.append(Collected(Wave("label", (asked,), None, {"unit": UNIT}), ((marks,),)))
    return state


def one_each(*values: int) -> Marks:
    return Marks.one_each(np.array(values, dtype=np.int64))


def test_groups_are_told_apart_and_a_question_without_centres_has_its_own():
    label, pair = ask_label("window", -4, 4, EPSILON), ask_residual(STUDY, Asking((0,), (2,)), 1.0, 0.3, EPSILON)
    sent = one_each(0, 1)
    state = state_of(
        (label, [0, 1], sent, None), (pair, [2, 3], sent, None), (pair, [4, 5], sent, np.array([1.0, 2.0]))
    )
    assert [(people.tolist(), values.tolist()) for _, people, values in label_groups(state)] == [([0, 1], [0, 1])]
    found = [(people.tolist(), centres.tolist()) for _, people, centres, _ in residual_groups(state)]
    assert found == [([2, 3], [0.5, 0.5]), ([4, 5], [1.0, 2.0])]


@pytest.mark.parametrize("label", [-4.0, -1.3, 0.0, 2.9, 4.0])
@pytest.mark.parametrize("low_high", [(-4.0, 4.0), (-1.0, 3.0)])
def test_noisy_labels_are_unbiased_within_the_window(label, low_high):
    """Exactly, over all reports: the label, cut at the window; rounding at random is included."""
    ask = ask_label("window", *low_high, EPSILON)
    mechanism = read_mechanism(ask.mechanism, EPSILON)
    outputs = mechanism.output_domain
    state = state_of((ask, list(range(len(outputs))), one_each(*outputs.tolist()), None))
    noisy = pooled(state, (1,), None)
    grid = LabelGrid(*low_high, mechanism.n_values - 1)
    place = (np.clip(label, *low_high) - grid.low) / grid.step
    low = min(int(place), grid.steps - 1)
    chances = [np.exp(mechanism.log_probability(outputs, np.full(len(outputs), low + up))) for up in (0, 1)]
    chance = (1 - place + low) * chances[0] + (place - low) * chances[1]
    assert chance @ noisy.labels == pytest.approx(np.clip(label, *low_high), abs=1e-9)


def test_labels_that_were_cut_elsewhere_are_left_out():
    """A window that covers the last one is kept, one that does not is dropped."""
    sent = one_each(0, 1)
    wide, left, last = (place_ask(low, high, EPSILON) for low, high in ((-4.0, 4.0), (-3.0, 0.5), (-1.0, 1.0)))
    state = state_of((wide, [0, 1], sent, None), (left, [2, 3], sent, None), (last, [4, 5], sent, None))
    found = pooled(state, (1,), None)
    np.testing.assert_array_equal(found.people[:].public[:, 1], state.enrolled.public[[0, 1, 4, 5], 1])
    assert found.variance[0] > found.variance[2]  # noise grows with the window


def test_labels_that_come_later_change_the_law_and_residuals_do_not():
    """The law is kept as long as no label comes; then it is that of a state that has just been read."""
    ask, pair = place_ask(-4.0, 4.0, EPSILON), ask_residual(STUDY, Asking((0,), (2,)), 1.0, 0.3, EPSILON)
    first, later = one_each(*[20] * 60), one_each(*[50] * 60)
    waves = [(ask, list(range(60)), first, None), (pair, [60], one_each(0), None), (ask, list(range(60)), later, None)]
    whole = state_of(*waves)
    grown = State(whole.study, whole.enrolled, {}, whole.done[:1])
    law = law_of(grown)
    grown.done.append(whole.done[1])
    assert law_of(grown) is law
    grown.done.append(whole.done[2])
    assert law_of(grown).mean == law_of(whole).mean != law.mean


def test_residuals_are_labels_again():
    """The centre plus the residual, stretched by what normal ones lose, with its mean square as variance."""
    ask = ask_residual(STUDY, Asking((0,), (3,)), 0.7, 0.3, EPSILON)
    response = residual_reports(ask, one_each(), 1.0).response
    rng = np.random.default_rng(0)
    person, value = _sent(response, 40, rng)
    marks, centres = Marks.sets(person, value, 40), rng.normal(size=40)
    label = ask_label("window", -4, 4, EPSILON)
    state = state_of((label, [0], one_each(0), None), (ask, list(range(1, 41)), marks, centres))
    found = pooled(state, (1,), None)
    scores = np.linspace(-1, 1, response.levels)
    residual = [0.7 * response.per_score * sum(scores[v % response.levels] for v in marks.of(i)) for i in range(40)]
    stretched = np.array(residual) / cut_normal(0.7 / UNIT**0.5)[0]
    np.testing.assert_allclose(found.labels[1:], centres + stretched)
    np.testing.assert_allclose(found.variance[1:], np.mean(np.square(stretched)))


def test_residuals_that_were_turned_round_are_no_labels():
    """They tell of how residuals differ between cells, not of what they are."""
    turned = ask_residual(STUDY, Asking((0,), (2,), (1, -1)), 1.0, 0.3, EPSILON)
    label = ask_label("window", -4, 4, EPSILON)
    waves = (label, [0, 1], one_each(0, 1), None), (turned, [2, 3], one_each(0, 1), None)
    assert len(pooled(state_of(*waves), (1,), None).labels) == 2
    (found,) = answered_pairs(state_of(*waves), lambda public: public[:, 1])
    assert found.reports.signs is not None
    assert found.reports.signs.tolist() == [1, -1]
    assert len(found.reports) == 2


def test_what_is_told_of_a_pair_is_told_of_each_of_the_two_and_signs_tell_nothing():
    """Every symbol is sent equally often, so people are even on the cells."""
    people = list(range(400))

    def told(*groups):
        waves = []
        for features in groups:
            response = PairResponse(EPSILON, 2 ** len(features), 2, "generalised")
            partition = partition_message(Partition(STUDY.bounds, features, (2,) * len(features), Tree()))
            mechanisms = by_size([(response.n_candidates, response.mechanism)])
            marks = one_each(*(i % (2 * response.n_candidates) for i in people))
            waves.append((AskPair(partition, (0.0,), 1.0, mechanisms, EPSILON), people, marks, None))
        return told_about(state_of(*waves))

    alone, paired, twice = told((0,)), told((0, 1)), told((0,), (0,))
    assert set(alone) == {(0,)}
    assert set(paired) == {(0,), (1,), (0, 1)}
    assert 0 < paired[0, 1] == paired[0,] < alone[0,] <= 400
    assert twice[0,] == pytest.approx(2 * alone[0,])
    turned = ask_residual(STUDY, Asking((0,), (2,), (1, -1)), 1.0, 0.3, EPSILON)
    assert told_about(state_of((turned, people, one_each(*(i % 2 for i in people)), None))) == {}


def _sent(response: PairResponse, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    cells, levels = rng.integers(0, response.n_candidates, n), rng.integers(0, response.levels, n)
    return response.send(cells, levels, SeededSource(1))


@pytest.mark.parametrize("kind", ["generalised", "paired"])
def test_a_few_people_whose_reports_stand_for_nothing_are_not_taken_for_sure(kind):
    """Their variance is at least that of the noise, not 0: else they would outweigh everybody."""
    response = PairResponse(EPSILON, 2, 3 if kind == "generalised" else 2, kind)
    partition = partition_message(Partition(STUDY.bounds, (0,), (2,), Tree()))
    ask = AskPair(partition, (0.0,), 1.0, by_size([(2, response.mechanism)]), EPSILON)
    silent = one_each(1) if kind == "generalised" else Marks(np.array([0]), np.zeros(0, dtype=np.int64))
    label = ask_label("window", -4, 4, EPSILON)
    found = pooled(state_of((label, [0, 1], one_each(0, 1), None), (ask, [2], silent, np.zeros(1))), (1,), None)
    assert found.variance[2] >= response.noise(0.0)
    assert found.precision < 1000


def test_residuals_are_read_with_how_far_the_prediction_has_moved():
    ask = ask_residual(STUDY, Asking((0,), (2,)), 1.0, 0.3, EPSILON)
    label = ask_label("window", -4, 4, EPSILON)
    pair = (ask, [0, 2, 4], one_each(0, 1, 0), np.array([0.1, 0.2, 0.3]))
    state = state_of((label, [1, 3], one_each(0, 1), None), pair)
    (found,) = answered_pairs(state, lambda public: 2 * public[:, 1])
    np.testing.assert_allclose(found.reports.shift, 2 * state.enrolled.public[[0, 2, 4], 1] - [0.1, 0.2, 0.3])
    assert (found.reports.features, found.reports.bins, found.reports.reach) == ((0,), (2,), 1.0)
    np.testing.assert_array_equal(found.enrolled[:].public[:, 1], state.enrolled.public[[0, 2, 4], 1])


def test_residuals_count_where_every_label_report_was_refused():
    label = ask_label("window", -4, 4, EPSILON)
    pair = ask_residual(STUDY, Asking((0,), (2,)), 1.0, 0.3, EPSILON)
    sent = one_each(0, 1, 0), np.array([0.1, 0.2, 0.3])
    none, some = (
        state_of((label, people, marks, None), (pair, [0, 2, 4], *sent))
        for people, marks in (([], one_each()), ([1], one_each(1)))
    )
    found, beside = pooled(none, (1,), None), pooled(some, (1,), None)
    assert found.sizes.tolist() == [0, 3]
    np.testing.assert_allclose(found.labels[:], beside.labels[1:4])


def spread_of(epsilon: float, n: int) -> float:
    """Return what is thought of the labels' variance, after n reports of the middle; the guess is (8 / 6)^2."""
    ask = place_ask(-4.0, 4.0, epsilon)
    middle = read_mechanism(ask.mechanism, epsilon).n_values // 2
    return pooled(state_of((ask, list(range(n)), one_each(*[middle] * n), None)), (1,), None).spread


def test_the_spread_of_labels_is_a_guess_until_enough_reports_on_a_fine_grid():
    """Few reports without much noise count nearly fully, few noisy ones hardly, many fully."""
    guess = (8 / 6) ** 2
    assert spread_of(8.0, 1) == pytest.approx(guess)
    assert spread_of(0.5, 20) > 0.9 * guess
    assert 0.1 * guess < spread_of(8.0, 20) < 0.3 * guess  # nineteen parts of what is found, one of the guess
    assert spread_of(8.0, 400) < 0.2 * guess
