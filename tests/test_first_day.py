"""Many private features, on somebody's first day: not asked where it cannot pay, and no worse than the mean."""

from __future__ import annotations

import numpy as np
import pytest

from semildp import SemiPrivateRegressor


def fitted(n, d, epsilon, explained, seed):
    """Everything private; `explained` is how much of the label's variance one feature, or all together, explain."""
    rng = np.random.default_rng([seed, d, n])
    X = rng.uniform(size=(2 * n, d))
    unit = (X - 0.5) * np.sqrt(12)
    signal = {"nothing": 0.0, "one": 0.7 * unit[:, 0], "all": 0.7 * unit.sum(axis=1) / np.sqrt(d)}[explained]
    y = np.clip(signal + rng.normal(size=2 * n) * (1.0 if explained == "nothing" else 0.71), -3, 3)
    model = SemiPrivateRegressor(
        epsilon, label_bounds=(-3, 3), feature_bounds=(0, 1), private_features=list(range(d)), random_state=seed
    )
    model.fit(X[:n], y[:n])
    return model, model.score(X[n:], y[n:])


def asked_about(model):
    """The private features that anybody was asked about."""
    return {j for question in model.questions_ for j in question.asks[0].partition.features}


@pytest.mark.parametrize(
    ("n", "d", "epsilon", "explained"),
    [
        *((500, 100, 4, "nothing"), (500, 100, 4, "one"), (500, 100, 4, "all")),
        *((10_000, 100, 1, "one"), (10_000, 100, 1, "all")),
        *((10_000, 100, 4, "nothing"), (10_000, 100, 4, "all")),
        *((10_000, 68, 2, "nothing"), (10_000, 68, 2, "one")),
    ],
)
def test_many_private_features_are_never_far_worse_than_the_mean(n, d, epsilon, explained):
    """Each feature shrunk by itself came to R2 of -1 to -6. Fixed seeds."""
    scores = [fitted(n, d, epsilon, explained, seed)[1] for seed in range(3)]
    assert np.mean(scores) > -0.02


@pytest.mark.parametrize(
    ("n", "d", "epsilon", "explained", "studies"),
    [(2000, 20, 6, "one", 12), (10_000, 20, 4, "one", 12), (10_000, 5, 1, "all", 48)],
)
def test_where_they_are_asked_noise_alone_costs_little_and_effects_are_found(n, d, epsilon, explained, studies):
    """20 features at epsilon 4 came to R2 of -0.1 and below on noise alone. Fixed seeds.

    Of 5 features at epsilon 1, R2 has a deviation of 0.02 over studies: the mean of 48 a standard error of 0.003.

    Of many features four are asked about in the end, so one that matters is found; twenty that matter a little are not.
    """
    nothing = [fitted(n, d, epsilon, "nothing", seed) for seed in range(studies)]
    assert all(asked_about(model) for model, _ in nothing)
    assert np.mean([score for _, score in nothing]) > -0.02
    seeds = range(2 if explained == "one" else 6)  # one effect is found by all, 0.5 each; of five, less and unevenly
    assert np.mean([fitted(n, d, epsilon, explained, seed)[1] for seed in seeds]) > 0.05


def test_nobody_is_asked_about_features_whose_noise_hides_all_they_explain():
    for n, d, epsilon in ((2000, 100, 2), (10_000, 100, 1), (500, 68, 4)):
        assert not asked_about(fitted(n, d, epsilon, "nothing", 0)[0])
    assert asked_about(fitted(500, 2, 4, "nothing", 0)[0])
