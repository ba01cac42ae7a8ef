"""Which estimator errs least on what: python -m benchmarks.which_estimator [--replications R] [--people N].

Features 0 and 1 of five are private to all, labels have noise of standard deviation 0.7, and label bounds reach 1
beyond the regression function. The error is the mean square distance to that function, over fresh people, as a share of
its variance.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from semildp import HistOfTreeRegressor, SemiPrivateRegressor
from semildp._arrays import Floats

NOISE, PRIVATE, FRESH = 0.7, [0, 1], 4000
EPSILONS = (1.0, 2.0, 4.0)
Function = Callable[[Floats], Floats]


def uniform(rng: np.random.Generator, n: int) -> Floats:
    """Draw five independent features."""
    return rng.uniform(size=(n, 5))


def correlated(rng: np.random.Generator, n: int) -> Floats:
    """Draw features of which each private one goes with a public one: correlation 0.7 of normal scores."""
    z = rng.normal(size=(n, 5))
    for private, public in ((0, 2), (1, 3)):
        z[:, private] = 0.7 * z[:, public] + np.sqrt(1 - 0.7**2) * z[:, private]
    return np.asarray(norm.cdf(z))


@dataclass(frozen=True)
class Problem:
    """A regression function, the formula it is shown by, and how features are drawn."""

    formula: str
    function: Function
    draw: Callable[[np.random.Generator, int], Floats] = uniform


PROBLEMS = (
    Problem("sin x0 + sin x1 + sin x4", lambda x: np.sin(x[:, 0]) + np.sin(x[:, 1]) + np.sin(x[:, 4])),
    Problem("x0 [x2 > .5]", lambda x: x[:, 0] * (x[:, 2] > 0.5)),
    Problem("[x0 > .5] xor [x1 > .5]", lambda x: ((x[:, 0] > 0.5) ^ (x[:, 1] > 0.5)).astype(np.float64)),
    Problem("4 (x0 - .5)² + x3", lambda x: 4 * (x[:, 0] - 0.5) ** 2 + x[:, 3]),
    Problem("x0 + x2 + x3, correlated", lambda x: x[:, 0] + x[:, 2] + x[:, 3], correlated),
)
METHODS = ("SemiPrivate", "HistOfTree joint", "HistOfTree.paper", "private mean")


def main() -> None:
    """Print the table, as a page shows it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=10_000)
    parser.add_argument("--replications", type=int, default=3)
    options = parser.parse_args()
    print(f"| function | ε | {' | '.join(METHODS)} |")
    print(f"|---|---|{'---|' * len(METHODS)}")
    for place, problem in enumerate(PROBLEMS):
        for epsilon in EPSILONS:
            each = [errors(problem, epsilon, options.people, [place, r]) for r in range(options.replications)]
            cells = " | ".join(f"{mean:.2f}" for mean in np.mean(each, axis=0))
            print(f"| {problem.formula} | {epsilon:g} | {cells} |", flush=True)


def errors(problem: Problem, epsilon: float, n_people: int, seed: list[int]) -> list[float]:
    """Return the error of each method, all fitted to the same people."""
    rng = np.random.default_rng(seed)
    X, fresh = problem.draw(rng, n_people), problem.draw(rng, FRESH)
    truth, asked = problem.function(fresh), problem.function(X)
    low, high = float(min(asked.min(), truth.min())) - 1, float(max(asked.max(), truth.max())) + 1
    y = np.clip(asked + NOISE * rng.normal(size=n_people), low, high)
    usual = {"label_bounds": (low, high), "feature_bounds": (0.0, 1.0), "random_state": int(rng.integers(2**31))}
    models = (
        SemiPrivateRegressor(epsilon, private_features=PRIVATE, **usual),
        HistOfTreeRegressor(epsilon, private_features=PRIVATE, **usual),
        HistOfTreeRegressor.paper(epsilon, private_features=PRIVATE, **usual),
    )
    predictions = [model.fit(X, y).predict(fresh) for model in models]
    alone = SemiPrivateRegressor(epsilon, first_share=1 - 1e-9, **usual).fit(np.zeros((n_people, 1)), y)
    predictions.append(np.full(len(fresh), alone.noisy_mean_))
    return [float(np.mean((predicted - truth) ** 2) / truth.var()) for predicted in predictions]


if __name__ == "__main__":
    main()
