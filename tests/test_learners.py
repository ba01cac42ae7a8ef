"""The default learner: trusts noisy labels only as far as they bear it out."""

from __future__ import annotations

import numpy as np

from semildp.curator.learning import NoisyLabelAverage
from tests.people import simulate, true_function

FRESH = np.random.default_rng(99).uniform(size=(2000, 5))


class TestNoisyLabelAverage:
    def test_pure_noise_leaves_the_mean(self):
        """Trust is 0 or small: over 20 draws the predictions' variance is below 2 % of the labels' on average."""
        rng = np.random.default_rng(0)
        ratios = []
        for _ in range(20):
            X, y = rng.uniform(size=(200, 4)), rng.normal(size=200)
            ratios.append(NoisyLabelAverage().fit(X, y).predict(X).var() / y.var())
        assert np.mean(ratios) < 0.02

    def test_signal_is_found(self):
        X, _, f = simulate(3000)
        noisy = f + np.random.default_rng(1).normal(size=3000)
        model = NoisyLabelAverage().fit(X, noisy)
        assert np.mean((model.predict(FRESH) - true_function(FRESH)) ** 2) < 0.02
        assert model.trust_ > 0.8

    def test_nothing_to_learn_from(self):
        X = np.full((30, 2), np.nan)
        np.testing.assert_allclose(NoisyLabelAverage().fit(X, np.arange(30.0)).predict(X), 14.5)
