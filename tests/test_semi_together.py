"""Private features that go together with each other and with public ones: no accidents, and more epsilon is better."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.drawn_functions import Drawn, drawn
from semildp import SemiPrivateRegressor
from semildp.curator.effects.together import correlation, tilted

N, NOISE = 10_000, 0.7


def study(seed: int) -> Drawn:
    """Draw a function of features that go together."""
    rng = np.random.default_rng([771, seed])
    while (found := drawn(rng)).mixing is None:
        pass
    return found


def error(function: Drawn, epsilon: float, seed: int) -> float:
    """Return the error over the function's variance; the first two of five features are private."""
    rng = np.random.default_rng([772, seed])
    X, fresh = function.draw(rng, N), function.draw(rng, N)
    truth = function.function(fresh)
    bounds = float(truth.min()) - 1, float(truth.max()) + 1
    y = np.clip(function.function(X) + NOISE * rng.normal(size=N), *bounds)
    model = SemiPrivateRegressor(
        epsilon, label_bounds=bounds, feature_bounds=(0.0, 1.0), private_features=[0, 1], random_state=seed
    )
    predicted = model.fit(X, y).predict(np.clip(fresh, 0, 1))
    return float(np.mean((predicted - truth) ** 2) / truth.var())


@pytest.mark.parametrize("seed", [3, 6, 10, 15])
def test_features_that_go_together_are_no_accident(seed):
    """Effects that were judged apart from each other once grew without end here: errors were .7 to 28."""
    function = study(seed)
    assert error(function, 8.0, seed) < 0.4


def test_more_epsilon_is_better_where_features_go_together():
    """On average over a few studies: where people are is told ever better, and so is what depends on it."""
    small, large = (np.mean([error(study(seed), epsilon, seed) for seed in (1, 9, 14)]) for epsilon in (1.0, 8.0))
    assert large < 0.7 * small


EVEN = np.full(16, 1 / 16)


@pytest.mark.parametrize("rho", [-0.9, -0.5, 0.0, 0.6])
def test_a_correlation_is_found_from_many_and_drawn_to_0_from_few(rho):
    """Shares of 4 x 4 cells without noise, of so many people: of many, what they have; of few, less or nothing."""
    shares = tilted(EVEN, EVEN, rho).reshape(4, 4, 4, 4).sum(axis=(1, 3))
    many, few = (correlation([(shares, weight)], EVEN, EVEN)[0] for weight in (2_000.0, 20.0))
    assert many == pytest.approx(rho, abs=0.03)
    assert abs(few) <= abs(many) + 1e-12
    assert few * rho >= 0


def test_where_nothing_goes_together_a_correlation_is_seldom_believed():
    """200 times 60 people in 2 x 2 cells: a correlation is believed in less than one in ten, and power is checked."""
    rng = np.random.default_rng(0)
    found = {rho: np.zeros(200) for rho in (0.0, 0.8)}
    for rho, each in found.items():
        shares = tilted(EVEN, EVEN, rho).reshape(2, 8, 2, 8).sum(axis=(1, 3)).ravel()
        for k in range(len(each)):
            each[k] = correlation([((rng.multinomial(60, shares) / 60).reshape(2, 2), 60.0)], EVEN, EVEN)[0]
    assert np.mean(found[0.0] != 0) < 0.1
    assert np.mean(found[0.8] != 0) > 0.9
