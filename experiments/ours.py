"""The library's own estimators, each in its one default configuration: no oracle chooses anything."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.dummy import DummyRegressor

from experiments.problem import Problem
from experiments.rows import Row
from semildp import HistOfTreeRegressor, SemiPrivateRegressor
from semildp.baselines import PublicTreeRegressor

SEMI_PRIVATE = "SemiPrivate"
FIRST_ROUND = "SemiPrivate, first round only"
JOINT = "HistOfTree joint"
PRIVATE_MEAN, BOUNDED_MEAN = "private mean", "private mean, bounded"


def joint(problem: Problem, epsilon: float) -> list[Row]:
    """HistOfTree with its defaults: everyone visits once, cell and label in one report."""
    model = HistOfTreeRegressor(epsilon, **_terms(problem)).fit(problem.X, problem.y, mask=problem.mask)
    return [Row(JOINT, problem.error(model.predict(problem.X_test)))]


def semi_private(problem: Problem, epsilon: float) -> list[Row]:
    """SemiPrivateRegressor; and the same fitted model without what the second round says of private features."""
    model = SemiPrivateRegressor(epsilon, **_terms(problem)).fit(problem.X, problem.y, mask=problem.mask)
    both = problem.error(model.predict(problem.X_test))
    model.effects_ = None
    return [Row(SEMI_PRIVATE, both), Row(FIRST_ROUND, problem.error(model.predict(problem.X_test)))]


def private_means(problem: Problem, epsilon: float) -> list[Row]:
    """The mean of labels noised with all of epsilon: by Laplace noise, and by the bounded window response."""
    everything, nothing = np.ones_like(problem.mask), np.zeros_like(problem.mask)
    laplace = PublicTreeRegressor(epsilon, **_terms(problem)).fit(problem.X, problem.y, mask=everything)
    bounded = SemiPrivateRegressor(epsilon, learner=DummyRegressor(), **_terms(problem))
    mean = bounded.fit(problem.X, problem.y, mask=nothing).noisy_mean_
    return [
        Row(PRIVATE_MEAN, problem.error(laplace.predict(problem.X_test))),
        Row(BOUNDED_MEAN, problem.error(np.full(len(problem.X_test), mean))),
    ]


def _terms(problem: Problem) -> dict[str, Any]:
    """Public bounds and a seed that depends on the problem alone."""
    seed = int(np.random.default_rng(problem.seed).integers(2**31))
    return {"label_bounds": problem.label_bounds, "feature_bounds": (0.0, 1.0), "random_state": seed}
