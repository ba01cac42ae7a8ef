"""One visit: bins and residual together. The guarantee of what travels, the client's law, and who is asked what."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from semildp import masks
from semildp.audit.statistics import assert_counts
from semildp.client import answer, ready
from semildp.curator.newcomers import draw_questions
from semildp.curator.wave_evidence import residual_reports
from semildp.mechanisms import PairResponse, SubsetResponse
from semildp.partition import Partition, Tree
from semildp.sources import SeededSource
from semildp.study import Category, Feature, Number, Study
from semildp.wire.codec import decode
from semildp.wire.forms import by_size, partition_message
from semildp.wire.messages import AskPair, Question, Report
from tests.battery.pairs import KINDS, law_at, sent_sets
from tests.battery.travels import law_of, worst_log_ratio

RESIDUALS = (-9.0, -1.0, -0.4, 0.0, 0.7, 1.0, 9.0)


def study_of(bins=2, epsilon=4.0):
    """Two numbers, and a category with as many values as there are bins (a category has at least two)."""
    kinds = Category(tuple(f"kind {i}" for i in range(bins)))
    features = (Feature("a", Number(0, 1)), Feature("b", Number(0, 1)), Feature("kind", kinds))
    return Study(name="pairs", epsilon=epsilon, label=Number(-20, 20), features=features)


def code_of(epsilon=1.0, kind="generalised", bins=2, levels=3):
    """A subset has three values at most, so that all words can be enumerated."""
    width = min(SubsetResponse.best_size(epsilon, bins * levels), 3) if kind == "subset" else None
    return PairResponse(epsilon, bins, levels, kind, width)


def question_of(study, code, feature=1, reach=1.0, centre=0.0):
    """Ask for the bin of one feature and the residual; who does not hide it has one candidate."""
    partition = Partition(study.bounds, (feature,), (code.n_candidates,), Tree())
    mechanisms = by_size([(code.n_candidates, code.mechanism)])
    ask = AskPair(partition_message(partition), (0.0,), reach, mechanisms, code.epsilon)
    return Question(study.digest, 2, (ask,), centre)


def values_of(feature, bins):
    return tuple(float(i) for i in range(bins)) if feature == 2 else (0.0, 0.3, 0.6, 1.0)


def sent_law(study, question, feature, x, label):
    row, mask = np.full(3, 0.5), np.arange(3) == feature
    row[2], row[feature] = 0.0, x
    return law_of(study, question, row, label, mask)


@pytest.mark.parametrize("feature", [1, 2])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
@pytest.mark.parametrize(("kind", "bins", "levels"), KINDS)
def test_any_change_of_private_feature_and_label_costs_at_most_epsilon(epsilon, kind, bins, levels, feature):
    """Numbers and categories, in the bytes that travel, without tolerance."""
    study, code = study_of(bins), code_of(epsilon, kind, bins, levels)
    question = question_of(study, code, feature)
    inputs = itertools.product(values_of(feature, bins), RESIDUALS)
    worst = worst_log_ratio([sent_law(study, question, feature, x, y) for x, y in inputs])
    assert 0.99 * epsilon <= worst <= epsilon


@pytest.mark.parametrize("feature", [1, 2])
@pytest.mark.parametrize(("kind", "bins", "levels"), KINDS)
def test_the_law_of_the_bytes_is_the_one_of_the_definitions(kind, bins, levels, feature):
    """The centre is taken off; thresholds and draws are rounded to 64 bits, so probabilities agree to 12 digits."""
    study, code = study_of(bins), code_of(1.0, kind, bins, levels)
    question = question_of(study, code, feature, reach=0.9, centre=5.25)
    for x, residual in itertools.product(values_of(feature, bins), (-2.0, 0.25)):
        law = sent_law(study, question, feature, x, 5.25 + residual)
        sent = {decode(raw, Report).answers[0]: chance for raw, chance in law.items()}
        place = int(x) if feature == 2 else min(int(x * bins), bins - 1)
        expected = law_at(code, place, residual, 0.9)
        assert set(sent) == set(expected)
        assert all(abs(float(sent[marks]) / expected[marks] - 1) < 1e-12 for marks in sent)


def people_of(study, X, y, mask, seed=5):
    rows = np.column_stack([X[:, :2], np.floor(X[:, 2] * study.n_values[2]).clip(0, study.n_values[2] - 1)])
    return ready(study, rows, y, mask, SeededSource(seed))


@pytest.mark.parametrize(("kind", "bins", "levels"), KINDS)
@pytest.mark.parametrize(("x", "residual"), [(0.5, 0.3), (0.1, -2.0)])
def test_the_client_draws_from_that_law(kind, bins, levels, x, residual):
    """How often 20,000 people of one kind send each set of marks; false alarm at most 1e-6 per test."""
    n, study, code = 20_000, study_of(bins), code_of(1.0, kind, bins, levels)
    question = question_of(study, code, reach=0.9)
    people = people_of(study, np.full((n, 3), x), np.full(n, residual), masks.aligned(n, 3, [1]))
    (marks,) = answer(study, question, people, SeededSource(0))
    sent, expected = sent_sets(marks), law_at(code, min(int(x * bins), bins - 1), residual, 0.9)
    assert set(sent) <= set(expected)
    counts = dict.fromkeys(expected, 0)
    for each in sent:
        counts[each] += 1
    assert_counts(list(counts.values()), n, list(expected.values()), "marks are not sent as often as enumerated")


def test_every_person_s_own_centre_is_taken_off():
    """With hardly any noise, people whose labels lie at their own centre send the middle level."""
    n, study = 500, study_of(epsilon=50.0)
    code = code_of(50.0, levels=3)
    centres = np.random.default_rng(0).uniform(-10, 10, n)
    mask = masks.aligned(n, 3, [1])
    people = people_of(study, np.full((n, 3), 0.2), centres, mask)
    question = question_of(study, code)
    (marks,) = answer(study, question, people, SeededSource(0), centres)
    assert set(marks.value.tolist()) == {1}
    np.testing.assert_allclose(residual_reports(question.asks[0], marks, 1.0).residuals(), 0.0, atol=1e-12)


ASKS = (((0,), 0.2), ((2,), 0.3), ((0, 2), 0.5))


def test_a_person_is_asked_about_features_they_hide_by_the_shares_of_the_plan():
    """30,000 people of three kinds, by the curator's draw; false alarm at most 6e-6."""
    n = 30_000
    kinds = np.array([[True, False, False], [False, True, True], [True, True, True]])
    which = draw_questions(SeededSource(1), np.tile(kinds, (n // 3, 1)), ASKS)
    for each, shares in enumerate([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.2, 0.3, 0.5)]):
        counts = [int((which[each::3] == k).sum()) for k in range(3)]
        assert_counts(counts, n // 3, list(shares), "questions are not drawn by their shares")


def test_a_person_who_hides_nothing_in_question_is_asked_for_the_residual_alone():
    hidden = np.tile([False, True, False], (50, 1))
    assert draw_questions(SeededSource(1), hidden, ASKS).tolist() == [-1] * 50
    assert draw_questions(SeededSource(1), hidden, (((), 1.0),)).tolist() == [0] * 50


def test_the_largest_word_draws_no_question_about_what_a_person_shows():
    """It rounds to 1, beyond all shares; the last question, about both features, is not for somebody who shows one."""

    class Largest(SeededSource):
        def words(self, *shape):
            return np.full(shape, 2**64 - 1, dtype=np.uint64)

    hidden = np.tile([False, False, True], (3, 1))
    assert draw_questions(Largest(0), hidden, ASKS).tolist() == [1, 1, 1]
