"""The bounded label report: at least as good as the mechanisms it contains, and never out of range."""

from __future__ import annotations

import numpy as np
import pytest

from semildp import HistOfTreeRegressor, masks
from semildp.domains import LabelGrid
from semildp.mechanisms import WindowResponse
from semildp.mechanisms.window_response import _least_variance, _variance
from semildp.sources import SeededSource
from tests.people import BOUNDS, simulate, true_function

EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)


def average_variance(epsilon, steps):
    """Variance of a label uniform on [-1, 1], rounding at random included."""
    return 4 / steps**2 * (_least_variance(epsilon, steps)[0] + 1 / 6)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_it_is_no_worse_than_two_points_the_piecewise_mechanism_and_laplace_noise(epsilon):
    """Wang et al. (2019): x**2/(a-1) + (a+3)/(3(a-1)**2) with a = e**(epsilon/2), and c**2 - x**2 for two points."""
    ours = average_variance(epsilon, WindowResponse.best_steps(epsilon))
    a = np.exp(epsilon / 2)
    piecewise = 1 / 3 / (a - 1) + (a + 3) / (3 * (a - 1) ** 2)
    two_points = 1 / np.tanh(epsilon / 2) ** 2 - 1 / 3
    assert ours <= two_points * (1 + 1e-9)
    assert ours <= piecewise
    assert ours <= 8 / epsilon**2


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("steps", [1, 2, 3, 8, 24, 128])
def test_the_window_is_the_best_one(epsilon, steps):
    distance, weight = np.arange(steps + 1) - steps / 2, np.ones(steps + 1)
    weight[[0, -1]] = 0.5
    averages = [weight @ _variance(epsilon, steps, window, distance) for window in range(1, 6 * steps + 1)]
    assert WindowResponse(epsilon, steps).window == 1 + int(np.argmin(averages))


def test_rounding_at_random_keeps_the_mean():
    """|z| below 5.5 for each of five labels (false alarm below 1e-6)."""
    grid, n = LabelGrid(-1.0, 1.0, 3), 100_000
    for i, label in enumerate((-1.0, -0.9, 0.1, 0.5, 1.0)):
        points = grid.encode_at_random(np.full(n, label), SeededSource(i).words(n))
        assert points.min() >= 0
        assert points.max() <= 3
        error = grid.decode(points) - label
        assert abs(error.mean()) <= 5.5 * error.std() / np.sqrt(n) + 1e-12


def test_reports_are_bounded_whatever_the_label():
    mechanism = WindowResponse(0.5, 4)
    outputs = mechanism.randomise(np.tile(np.arange(5), 2000), SeededSource(0))
    assert set(outputs) == set(mechanism.output_domain)


def test_it_lowers_the_error_of_histoftree():
    """100 replications each, one-sided t statistic above 4.5 (false alarm below 1e-5)."""
    fresh = np.random.default_rng(99).uniform(size=(2000, 5))
    errors = {"laplace": [], "window": []}
    for seed in range(100):
        X, y, _ = simulate(3000, seed=500 + seed)
        for name, out in errors.items():
            model = HistOfTreeRegressor.paper(2.0, **BOUNDS, depth=2, bins=1, label_mechanism=name, random_state=seed)
            model.fit(X, y, mask=masks.first(3000, 5, 2))
            out.append(np.mean((model.predict(fresh) - true_function(fresh)) ** 2))
    laplace, window = np.array(errors["laplace"]), np.array(errors["window"])
    spread = np.sqrt((laplace.var(ddof=1) + window.var(ddof=1)) / 100)
    assert (laplace.mean() - window.mean()) / spread > 4.5
