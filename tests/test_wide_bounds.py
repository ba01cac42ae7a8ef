"""Label bounds far wider than the labels: seen from reports alone, said with better bounds, silent otherwise."""

from __future__ import annotations

import re

import numpy as np
import pytest

from semildp import HistOfTreeRegressor, SemiPrivateRegressor, WideBoundsWarning
from semildp.curator.wide_bounds import label_spread
from semildp.mechanisms import LABEL_MECHANISMS, WindowResponse, label_grid
from semildp.sources import SeededSource

N = 20_000
RNG = np.random.default_rng(0)
X = RNG.uniform(size=(N, 3))
Y = np.clip(20 + X[:, 0] + RNG.normal(size=N), 15, 25)
TERMS = {"feature_bounds": (0, 1), "private_features": [0], "clip": True, "random_state": 0}
FEW = 600  # people among whom SemiPrivate looks for no narrower window
MODELS = {
    "SemiPrivate": (SemiPrivateRegressor, 8.0, FEW),
    "HistOfTree": (HistOfTreeRegressor, 4.0, N),
    "paper": (HistOfTreeRegressor.paper, 16.0, N),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_warning_says_which_bounds_and_how_many_people_would_do(name):
    build, epsilon, n = MODELS[name]
    with pytest.warns(WideBoundsWarning) as caught:
        build(epsilon, label_bounds=(-100, 100), **TERMS).fit(X[:n], Y[:n])
    (warning,) = caught
    assert warning.filename == __file__
    text = str(warning.message)
    low, high = map(float, re.search(r"label_bounds=\((\S+), (\S+)\)", text).groups())
    few, many = (
        int(found.replace(",", "")) for found in re.search(r"([\d,]+) people instead of ([\d,]+)", text).groups()
    )
    assert low < 15 < 25 < high
    assert high - low < 100
    assert 2 * few <= many <= n


@pytest.mark.parametrize("participation", ["split", "both"])
def test_where_a_window_was_found_within_the_bounds_nothing_is_said(participation):
    """Warnings are errors in these tests."""
    model = SemiPrivateRegressor(4.0, label_bounds=(-100, 100), participation=participation, **TERMS).fit(X, Y)
    assert np.mean((model.predict(X) - 20 - X[:, 0]) ** 2) < 0.1


def test_with_the_bounds_it_names_as_few_people_do_as_it_says():
    """A mean of `enough` reports with the likely bounds has the error of all with the wide ones, within 15 %."""
    found = spread(0.4 + 0.02 * RNG.normal(size=N), 4.0)
    assert found.too_wide
    wide, narrow = (label_grid("window", *bounds, 4.0) for bounds in ((0.0, 1.0), found.likely))
    middle = [
        LABEL_MECHANISMS["window"](4.0, grid.steps).variance(grid.steps / 2) * grid.step**2 for grid in (wide, narrow)
    ]
    errors = [(0.02**2 + noise) / n for noise, n in zip(middle, (N, found.enough), strict=True)]
    assert errors[1] == pytest.approx(errors[0], rel=0.15)


def test_equal_reports_give_equal_warnings_whatever_the_labels_are(monkeypatch):
    grid = label_grid("window", -100, 100, 8.0)
    outputs = WindowResponse(8.0, grid.steps).randomise(grid.encode(Y), SeededSource(1))
    monkeypatch.setattr(WindowResponse, "randomise", lambda mechanism, values, source: outputs[: len(values)])
    said = []
    for labels in (Y, -Y, RNG.uniform(-100, 100, size=N)):
        model = SemiPrivateRegressor(8.0, label_bounds=(-100, 100), **{**TERMS, "private_features": []})
        with pytest.warns(WideBoundsWarning) as caught:
            model.fit(X[:FEW], labels[:FEW])
        said.append([str(warning.message) for warning in caught])
    assert len(said[0]) == 1
    assert said[0] == said[1] == said[2]


def spread(labels, epsilon, mechanism="window", seed=0):
    grid = label_grid(mechanism, 0.0, 1.0, epsilon)
    source, labels = SeededSource(seed), np.asarray(labels)
    points = grid.encode_at_random(labels, source.words(len(labels))) if mechanism == "window" else grid.encode(labels)
    outputs = LABEL_MECHANISMS[mechanism](epsilon, grid.steps).randomise(points, source)
    return label_spread(grid, LABEL_MECHANISMS[mechanism](epsilon, grid.steps), outputs)


@pytest.mark.parametrize("mechanism", ["window", "laplace"])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0, 8.0])
@pytest.mark.parametrize("n", [20, 200, 2000])
def test_ordinary_bounds_are_not_called_wide(n, epsilon, mechanism):
    """Labels with bounds at 3 or 4 standard deviations, 30 studies each: not one alarm. Fixed seeds."""
    for seed in range(30):
        noise = np.random.default_rng(seed).normal(size=n)
        for deviations in (6, 8):
            assert not spread(np.clip(0.5 + noise / deviations, 0, 1), epsilon, mechanism, seed).too_wide


def test_false_alarms_at_the_edge_are_rare():
    """Bounds just 12 standard deviations wide: at most 1 in 100 by claim, so more than 16 of 400 once in 10**6."""
    alarms = 0
    for seed in range(400):
        labels = 0.5 + np.random.default_rng(seed).normal(size=1000) / 12
        alarms += spread(np.clip(labels, 0, 1), 4.0, "window", seed).too_wide
    assert alarms <= 16


@pytest.mark.parametrize("mechanism", ["window", "laplace"])
@pytest.mark.parametrize("epsilon", [2.0, 6.0])
@pytest.mark.parametrize("middle", [0.1, 0.5, 0.8])
def test_mean_and_spread_are_right(mechanism, epsilon, middle):
    labels = middle + np.random.default_rng(1).uniform(-0.1, 0.1, size=200_000)
    found = spread(labels, epsilon, mechanism)
    assert found.mean == pytest.approx(middle, abs=0.02)
    assert found.variance <= found.most
    assert found.variance == pytest.approx(0.01 / 3, abs=found.most - found.variance)


def test_without_noise_wide_bounds_cost_nothing_and_nothing_is_said():
    labels = 0.5 + np.random.default_rng(0).uniform(-0.01, 0.01, size=500)
    assert not spread(labels, 1024.0).too_wide


def test_two_grid_points_tell_of_labels_near_a_bound_only():
    """At epsilon 0.5 there are two grid points: labels in the middle may spread over everything, for all one sees."""
    n = 300_000
    assert spread(np.full(n, 0.5), 0.5).most > 0.2
    assert spread(np.full(n, 0.001), 0.5).most < 0.03
    assert not spread(np.full(50, 0.001), 0.5).too_wide
