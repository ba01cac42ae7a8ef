"""SemiPrivate with many people: the same bits as with few at once, in memory that grows slower than the input."""

from __future__ import annotations

import tracemalloc

import msgspec
import numpy as np
import pytest

from semildp import SemiPrivateRegressor
from semildp.client import People, answer, completing, many
from semildp.client.many import answer_many
from semildp.curator.learning import noisy_label_average, ridge
from semildp.curator.numbers import NumberGroups, Repeated
from semildp.curator.wave_menu import Asking
from semildp.protocols import semi_private
from semildp.protocols.asks import ask_label, ask_residual
from semildp.sources import SeededSource
from semildp.study import Feature, Number, Study
from semildp.wire.columns import Marks
from semildp.wire.messages import AskLabel, Question

N, D = 1200, 5
RNG = np.random.default_rng(3)
X = RNG.random((N, D))
Y = np.clip(2 * X[:, 0] + X[:, 3] * X[:, 1] + 0.3 * RNG.normal(size=N), -1, 4)
MASK = RNG.random((N, D)) < [0.7, 0.8, 0.2, 0.1, 0.3]
ALIGNED = np.broadcast_to(np.arange(D) < 2, (N, D))
GIVEN = {"label_bounds": (-1, 4), "feature_bounds": (0, 1), "random_state": 5}
STUDY = Study(
    name="many",
    epsilon=2.0,
    label=Number(-1, 4),
    features=tuple(Feature(f"x{j}", Number(0, 1)) for j in range(D)),
)
POSITIONS = np.flatnonzero(RNG.random(N) < 0.8).astype(np.int32)
CENTRES = RNG.normal(size=len(POSITIONS))


def seen(mask, **options):
    """All that a fit shows, bit by bit."""
    model = SemiPrivateRegressor(4.0, **GIVEN, **options).fit(X, Y, mask=mask)
    return model.model_.to_json(), model.predict(X).tobytes(), model.waves_, model.privacy_


@pytest.fixture
def large(monkeypatch):
    """Every way that is for many people is taken by few."""
    for module, name, value in (
        (completing, "MANY", 1),
        (many, "BATCH", 100),
        (noisy_label_average, "_HELD", 0),
        (ridge, "_KEPT", 0),
    ):
        monkeypatch.setattr(module, name, value)


@pytest.mark.parametrize("participation", ["split", "both"])
@pytest.mark.parametrize("mask", [MASK, ALIGNED], ids=["personal", "aligned"])
def test_a_fit_does_not_depend_on_batches(mask, participation, monkeypatch, request):
    expected = seen(mask, participation=participation)
    request.getfixturevalue("large")
    assert seen(mask, participation=participation) == expected


PAIR = ask_residual(STUDY, Asking((0, 1), (2, 3)), 1.0, 0.3, 2.0)
ASKS = {
    "label": ask_label("window", -1, 4, 2.0),
    "pair": PAIR,
    "one feature": ask_residual(STUDY, Asking((0,), (4,)), 1.0, 0.3, 2.0),
    "residual alone": ask_residual(STUDY, Asking(), 1.0, 0.3, 2.0),
    "signs": ask_residual(STUDY, Asking((0, 1), (2, 2), (1, -1, -1, 1)), 1.0, 0.3, 2.0),
    "to the nearest": AskLabel(-1, 4, "nearest", ask_label("window", -1, 4, 2.0).mechanism, 2.0),
    "laplace": ask_label("laplace", -1, 4, 2.0),
}


@pytest.mark.parametrize("small", [False, True])
@pytest.mark.parametrize("ask", ASKS)
def test_answers_in_batches_are_the_answers_of_all(ask, small, large):
    """Words for rounding come before all others, for everybody; what comes after the answers is the same, too."""
    question, people = Question(STUDY.digest, 1, (ASKS[ask],)), People(X, Y, ALIGNED)
    one, other = SeededSource(8), SeededSource(8)
    (expected,) = answer(STUDY, question, people[POSITIONS], one, CENTRES)
    (found,) = answer_many(STUDY, question, people, POSITIONS, other, CENTRES, small=small)
    np.testing.assert_array_equal(found.count, expected.count)
    np.testing.assert_array_equal(found.value, expected.value)
    assert one.words(2).tolist() == other.words(2).tolist()
    assert not small or found.value.dtype.itemsize <= 2


def test_people_with_other_numbers_of_candidates_are_answered_for_all_at_once(large):
    """They draw one number of candidates after the other, so batches would draw in another order."""
    question, people = Question(STUDY.digest, 1, (_for_every_size(),)), People(X, Y, MASK)
    (expected,) = answer(STUDY, question, people[POSITIONS], SeededSource(8), CENTRES)
    (found,) = answer_many(STUDY, question, people, POSITIONS, SeededSource(8), CENTRES)
    np.testing.assert_array_equal(found.value, expected.value)


def _for_every_size():
    mechanisms = dict(PAIR.mechanisms)
    for asking in (Asking(), Asking((0,), (2,)), Asking((1,), (3,))):
        mechanisms |= ask_residual(STUDY, asking, 1.0, 0.3, 2.0).mechanisms
    return msgspec.structs.replace(PAIR, mechanisms=mechanisms)


def test_small_marks_are_the_same_numbers():
    count = RNG.integers(0, 4, size=9000)
    marks = Marks(count, RNG.integers(0, 300, size=int(count.sum())))
    small = marks.small()
    assert (small.count.dtype, small.value.dtype) == (np.int8, np.int16)
    for rows in (slice(0, 5), slice(4096, 4097), slice(4000, 8500), slice(8999, 9000), slice(None)):
        first = int(count[: rows.start or 0].sum())
        expected = marks.value[first : first + int(count[rows].sum())]
        np.testing.assert_array_equal(small[rows].value, expected)
    places = RNG.permutation(9000)[:50]
    np.testing.assert_array_equal(small.at(places).value, marks.at(places).value)
    assert Marks(np.ones(3, dtype=np.int64), np.array([1, -129, 5])).small().value.dtype == np.int16


def test_numbers_of_groups_are_those_of_one_array():
    parts = [RNG.normal(size=n) for n in (7, 0, 70_000, 3)]
    whole, groups = np.concatenate(parts), NumberGroups(tuple(parts))
    values, sizes = np.array([2.0, 9.0, 3.0, 5.0]), np.array([7, 0, 70_000, 3])
    each, repeated = np.repeat(values, sizes), Repeated(values, sizes)
    for rows in (slice(None), slice(None, None, 7), slice(3, 9), slice(6, 69_000, 501), slice(70_006, None)):
        np.testing.assert_array_equal(groups[rows], whole[rows])
        np.testing.assert_array_equal(repeated[rows], each[rows])
    places = RNG.integers(0, len(each), size=100)
    np.testing.assert_array_equal(repeated[places], each[places])


def test_memory_grows_by_less_than_half_of_the_input(monkeypatch):
    """What the learner holds does not grow beyond a million people; here, where a fit is quick, beyond 20,000.

    Nor are error bars then learnt beside effects. What is asked, which the draws decide, changes a peak by some 5 MB.
    """
    monkeypatch.setattr(noisy_label_average, "_MOST", 20_000)
    monkeypatch.setattr(semi_private, "AT_ONCE", 20_000)
    few, lots, d = 140_000, 740_000, 10
    rows = np.random.default_rng(0).random((lots, d))
    labels = np.clip(rows[:, 0] + rows[:, 4], 0, 2)
    bounds = {"label_bounds": (0, 2), "feature_bounds": (0, 1)}
    model = SemiPrivateRegressor(2.0, **bounds, private_features=[0, 1], random_state=0)
    model.fit(rows[:few], labels[:few])  # loads and compiles
    peaks = []
    for n in (few, lots):
        tracemalloc.start()
        model.fit(rows[:n], labels[:n])
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] - peaks[0] < (lots - few) * (d + 1) * 8 / 2
