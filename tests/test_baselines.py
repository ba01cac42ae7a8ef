"""The paper's competitors: what they send, and that they learn what they should."""

from __future__ import annotations

import numpy as np
import pytest

from semildp import InputError, masks
from semildp.baselines import (
    LabelTreeRegressor,
    PrivateHistogramRegressor,
    PublicTreeRegressor,
)
from semildp.client import answer, ready
from semildp.domains import LabelGrid
from semildp.mechanisms import DiscreteLaplace, GeneralisedResponse
from semildp.partition import Partition, Tree
from semildp.protocols import RandomizedFeatures
from semildp.simulate import simulate as simulate_study
from semildp.sources import SeededSource
from semildp.study import Feature, Number, Study
from semildp.wire.forms import mechanism_message, partition_message, read_partition
from semildp.wire.messages import AskBins, AskHistogram, AskLabel, Question
from tests.people import BOUNDS, simulate

X, Y, F = simulate(5000)
CALM = {**BOUNDS, "epsilon": 1024.0, "random_state": 0}


def study(epsilon, n_features, label=(0.0, 1.0), **parameters):
    features = tuple(Feature(f"x{j}", Number(0.0, 1.0)) for j in range(n_features))
    return Study(name="test", epsilon=epsilon, label=Number(*label), features=features, **parameters)


def test_without_noise_the_label_tree_is_an_ordinary_tree():
    model = LabelTreeRegressor(**CALM, max_depth=3).fit(X, Y)
    predicted = model.predict(X)
    assert 4 < len(np.unique(predicted)) <= 8
    means = np.array([Y[predicted == here].mean() for here in predicted])
    np.testing.assert_allclose(predicted, means, atol=5 * 6.5 * np.sqrt(2) / 1024)


def test_public_tree_never_splits_a_feature_that_all_hide():
    model = PublicTreeRegressor(**CALM, private_features=[0, 1], max_depth=6).fit(X, Y)
    moved = X.copy()
    moved[:, :2] = np.random.default_rng(0).uniform(size=(len(X), 2))
    np.testing.assert_array_equal(model.predict(moved), model.predict(X))


def test_public_tree_without_public_features_is_the_mean():
    model = PublicTreeRegressor(**CALM, private_features=range(5)).fit(X, Y)
    np.testing.assert_allclose(model.predict(X[:3]), Y.mean(), atol=0.01)


def test_public_tree_takes_personal_masks():
    mask = masks.heavy_tail(len(X), 5, 1.0)
    assert np.isfinite(PublicTreeRegressor(**CALM).fit(X, Y, mask=mask).predict(X)).all()


def test_randomised_features_without_noise_are_bin_middles():
    protocol = RandomizedFeatures(bins=4)
    asked = study(200.0, 5, (-2.0, 4.5), protocol="randomized-features")
    mask, sources = masks.first(len(X), 5, 2), {name: SeededSource(0) for name in protocol.streams}
    state = simulate_study(asked, X, Y, mask, protocol=protocol, sources=sources).state
    sent, labels = protocol._received(state)
    np.testing.assert_array_equal(sent[:, 2:], X[:, 2:])
    np.testing.assert_array_equal(sent[:, :2], (np.floor(X[:, :2] * 4) + 0.5) / 4)
    grid = LabelGrid.for_epsilon(-2.0, 4.5, 200.0)
    assert np.abs(grid.decode(labels) - Y).mean() < 6.5 / (200 / 3) * 1.1


def test_randomised_features_divide_epsilon_by_what_a_person_hides():
    """Label noise of people who hide m features has the variance of epsilon / (m + 1), within 5 standard errors."""
    n, epsilon, protocol = 20_000, 2.0, RandomizedFeatures(bins=2)
    rng, steps = np.random.default_rng(0), LabelGrid.for_epsilon(0.0, 1.0, 2.0).steps
    rows, mask = rng.uniform(size=(n, 3)), np.tril(np.ones((4, 3), dtype=bool), -1)[rng.integers(4, size=n)]
    asked = study(epsilon, 3, protocol="randomized-features")
    sources = {name: SeededSource(1) for name in protocol.streams}
    result = simulate_study(asked, rows, np.full(n, 0.5), mask, protocol=protocol, sources=sources)
    _, labels = protocol._received(result.state)
    for m in range(4):
        group = labels[mask.sum(axis=1) == m] - steps / 2
        stated = DiscreteLaplace(epsilon / (m + 1), steps).variance(np.zeros(1, dtype=np.int64))[0]
        standard_error = stated * np.sqrt(5 / len(group))  # kurtosis of Laplace noise is 6
        assert abs(np.mean(group**2) - stated) < 5 * standard_error
    for entry in result.transcript.entries:  # and so has what each of them is asked
        m = mask[entry.people[0]].sum()
        assert {type(ask) for ask in entry.question.asks} == ({AskLabel, AskBins} if m else {AskLabel})
        assert all(ask.epsilon == pytest.approx(epsilon / (m + 1)) for ask in entry.question.asks)
    assert result.transcript.most <= epsilon


def test_randomised_features_joint_guarantee():
    """Any change of label and of all m private features costs at most epsilon: m + 1 independent reports."""
    epsilon, m, bins = 1.7, 3, 4
    part = epsilon / (m + 1)
    label = DiscreteLaplace(part, 16)
    feature = GeneralisedResponse(part, bins)
    values = np.arange(bins)
    ratio = feature.log_probability(values[:, None], values) - feature.log_probability(values[:, None], values[::-1])
    outputs = label.output_domain
    label_ratio = label.log_probability(outputs, np.int64(0)) - label.log_probability(outputs, np.int64(16))
    assert m * np.abs(ratio).max() + np.abs(label_ratio).max() <= epsilon + 1e-12


def test_histogram_joint_guarantee():
    """Both noisy vectors of one person, for every pair of (cell, label): the log ratio never exceeds epsilon."""
    epsilon, steps, n_cells = 1.3, 8, 3
    mass, label = DiscreteLaplace(epsilon / 4, steps), DiscreteLaplace(epsilon / 2, steps)

    def vectors(cell, point):
        indicator, labels = np.zeros(n_cells, dtype=int), np.full(n_cells, steps // 2)
        indicator[cell], labels[cell] = steps, point
        return indicator, labels

    worst = 0.0
    people = [vectors(cell, point) for cell in range(n_cells) for point in range(steps + 1)]
    for a_mass, a_label in people:
        for b_mass, b_label in people:
            # Noise is independent per entry and its log density falls linearly: the worst output is beyond both.
            worst = max(
                worst,
                np.abs(a_mass - b_mass).sum() * mass.epsilon / steps
                + np.abs(a_label - b_label).sum() * label.epsilon / steps,
            )
    assert worst == pytest.approx(epsilon)


def histogram_reports(steps, n):
    """What people in the last of 4 cells with the largest label send."""
    asked = study(2.0, 2, hide_mask=True, protocol="private-histogram")
    partition = partition_message(Partition(asked.bounds, (0, 1), (2, 2), Tree()))
    noises = (mechanism_message(DiscreteLaplace(epsilon, steps)) for epsilon in (0.5, 1.0))
    question = Question(asked.digest, 1, (AskHistogram(partition, 0.0, 1.0, *noises, 2.0),))
    people = ready(asked, np.full((n, 2), 0.9), np.ones(n), np.ones((n, 2), dtype=bool), SeededSource(1))
    return answer(asked, question, people, SeededSource(0))[0].value


def test_histogram_reports_are_unbiased_for_every_cell():
    """Noisy vectors average to the true ones; largest |z| over 2 x 4 entries below 5.5 (false alarm below 1e-6)."""
    n = 20_000
    sent = histogram_reports(64, n).reshape(n, 2, 4)
    noisy_mass, noisy_label = sent[:, 0], sent[:, 1]
    for noisy, truth in ((noisy_mass, [0, 0, 0, 64]), (noisy_label, [0, 0, 0, 32])):
        z = (noisy.mean(axis=0) - truth) / (noisy.std(axis=0) / np.sqrt(n))
        assert np.abs(z).max() < 5.5
        assert (noisy.std(axis=0) > 1).all()


def test_histogram_without_noise_is_the_cell_mean():
    model = PrivateHistogramRegressor(**CALM, bins=2, threshold=0.001).fit(X, Y)
    cell = read_partition(model.model_.body.partition, model.study_.bounds).cell(X)
    means = np.array([Y[cell == here].mean() for here in cell])
    np.testing.assert_allclose(model.predict(X), means, atol=0.1)


def test_light_histogram_cells_predict_the_middle_of_the_bounds():
    model = PrivateHistogramRegressor(**CALM, bins=2, threshold=0.5).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), 1.25)


@pytest.mark.parametrize("bins", [1, 2, 3])
def test_histogram_does_not_depend_on_the_mask(bins):
    masked = PrivateHistogramRegressor(2.0, **BOUNDS, random_state=0, bins=bins).fit(X, Y, mask=masks.first(5000, 5, 3))
    plain = PrivateHistogramRegressor(2.0, **BOUNDS, random_state=0, bins=bins).fit(X, Y)
    np.testing.assert_array_equal(masked.predict(X), plain.predict(X))


def test_histogram_reports_need_a_middle():
    """With odd steps the middle is off the grid and the two vectors would cost more than epsilon."""
    with pytest.raises(InputError, match="on one grid, with an even number of steps"):
        histogram_reports(65, 1)
