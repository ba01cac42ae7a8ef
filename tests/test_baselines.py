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
from semildp.client import randomise_features, report_histogram
from semildp.domains import FeatureBounds, LabelGrid
from semildp.mechanisms import DiscreteLaplace, GeneralisedResponse
from semildp.sources import SeededSource
from tests.people import BOUNDS, simulate

X, Y, F = simulate(5000)
CALM = {**BOUNDS, "epsilon": 1024.0, "random_state": 0}


def test_without_noise_the_label_tree_is_an_ordinary_tree():
    model = LabelTreeRegressor(**CALM, max_depth=3).fit(X, Y)
    leaf = model.tree_.apply(X)
    means = np.array([Y[leaf == here].mean() for here in leaf])
    np.testing.assert_allclose(model.predict(X), means, atol=5 * 6.5 * np.sqrt(2) / 1024)


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
    bounds, grid = FeatureBounds((0.0,) * 5, (1.0,) * 5), LabelGrid(-2.0, 4.5, 1024)
    mask = masks.first(len(X), 5, 2)
    sent, labels = randomise_features(bounds, grid, X, Y, mask, 4, 200.0, SeededSource(0))
    np.testing.assert_array_equal(sent[:, 2:], X[:, 2:])
    np.testing.assert_array_equal(sent[:, :2], (np.floor(X[:, :2] * 4) + 0.5) / 4)
    assert np.abs(grid.decode(labels) - Y).mean() < 6.5 / (200 / 3) * 1.1


def test_randomised_features_divide_epsilon_by_what_a_person_hides():
    """Label noise of people who hide m features has the variance of epsilon / (m + 1), within 5 standard errors."""
    n, epsilon = 20_000, 2.0
    rng = np.random.default_rng(0)
    bounds, grid = FeatureBounds((0.0,) * 3, (1.0,) * 3), LabelGrid(0.0, 1.0, 64)
    rows, mask = rng.uniform(size=(n, 3)), np.tril(np.ones((4, 3), dtype=bool), -1)[rng.integers(4, size=n)]
    _, labels = randomise_features(bounds, grid, rows, np.full(n, 0.5), mask, 2, epsilon, SeededSource(1))
    for m in range(4):
        group = labels[mask.sum(axis=1) == m] - 32.0
        stated = DiscreteLaplace(epsilon / (m + 1), 64).variance(np.zeros(1, dtype=np.int64))[0]
        standard_error = stated * np.sqrt(5 / len(group))  # kurtosis of Laplace noise is 6
        assert abs(np.mean(group**2) - stated) < 5 * standard_error


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


def test_histogram_reports_are_unbiased_for_every_cell():
    """Noisy vectors average to the true ones; largest |z| over 2 x 4 entries below 5.5 (false alarm below 1e-6)."""
    grid = LabelGrid(0.0, 1.0, 64)
    n = 20_000
    cell, y = np.full(n, 3), np.full(n, 1.0)
    noisy_mass, noisy_label = report_histogram(grid, cell, y, 4, 2.0, SeededSource(0))
    for noisy, truth in ((noisy_mass, [0, 0, 0, 64]), (noisy_label, [0, 0, 0, 32])):
        z = (noisy.mean(axis=0) - truth) / (noisy.std(axis=0) / np.sqrt(n))
        assert np.abs(z).max() < 5.5
        assert (noisy.std(axis=0) > 1).all()


def test_histogram_without_noise_is_the_cell_mean():
    model = PrivateHistogramRegressor(**CALM, bins=2, threshold=0.001).fit(X, Y)
    cell = model.partition_.cell(X)
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
    with pytest.raises(InputError, match="`steps` must be even"):
        report_histogram(LabelGrid(0.0, 1.0, 1), np.zeros(1, dtype=int), np.zeros(1), 2, 1.0, SeededSource(0))
