"""What SemiPrivate reaches on functions of many kinds: python -m benchmarks.functions [--replications R] [--wide].

People, noise and bounds are those of `which_estimator`. The seed was chosen before the estimator was first run with it,
and nothing was changed after. `aim` is what the estimator was built for, for 10,000 people.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
from scipy.stats import norm

from benchmarks.which_estimator import EPSILONS, FRESH, NOISE, PRIVATE, Problem
from semildp import SemiPrivateRegressor
from semildp._arrays import Floats

SEED = 20_261_203
Aim = tuple[float, float, float]


def together(rng: np.random.Generator, n: int) -> Floats:
    """Draw features of which the two private ones go together: correlation 0.9 of normal scores."""
    z = rng.normal(size=(n, 5))
    z[:, 1] = 0.9 * z[:, 0] + np.sqrt(1 - 0.9**2) * z[:, 1]
    return np.asarray(norm.cdf(z))


def either(a: int, at: float, b: int, other: float) -> Problem:
    """One of two features is above its threshold, but not both."""
    formula = f"[x{a} > {at:g}] xor [x{b} > {other:g}]"
    return Problem(formula, lambda x: ((x[:, a] > at) ^ (x[:, b] > other)).astype(np.float64))


XOR: Aim = (0.5, 0.2, 0.08)
PROBLEMS: tuple[tuple[Problem, list[int], Aim], ...] = (
    (
        Problem("sin x0 + sin x1 + sin x4", lambda x: np.sin(x[:, 0]) + np.sin(x[:, 1]) + np.sin(x[:, 4])),
        PRIVATE,
        (0.11, 0.052, 0.021),
    ),
    (Problem("x0 [x2 > .5]", lambda x: x[:, 0] * (x[:, 2] > 0.5)), PRIVATE, (0.42, 0.2, 0.1)),
    (either(0, 0.5, 2, 0.5), PRIVATE, XOR),
    (either(0, 0.3, 2, 0.7), PRIVATE, XOR),
    (either(0, 0.5, 1, 0.5), PRIVATE, XOR),
    (either(0, 0.3, 1, 0.65), PRIVATE, XOR),
    (Problem("4 (x0 - .5)²", lambda x: 4 * (x[:, 0] - 0.5) ** 2), PRIVATE, (0.5, 0.2, 0.06)),
    (Problem("x0 + x1, correlation .9", lambda x: x[:, 0] + x[:, 1], together), PRIVATE, (0.1, 0.05, 0.02)),
    (Problem("x0 [x1 > .5], all public", lambda x: x[:, 0] * (x[:, 1] > 0.5)), [], (0.3, 0.14, 0.05)),
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=10_000)
    parser.add_argument("--replications", type=int, default=20)
    parser.add_argument("--wide", action="store_true", help="label bounds ten times too wide on both sides")
    parser.add_argument("--epsilons", type=float, nargs="+", choices=EPSILONS, default=EPSILONS)
    options = parser.parse_args()
    print("| function | ε | error | standard error | aim |\n|---|---|---|---|---|")
    with ProcessPoolExecutor() as pool:
        for place, (problem, _, aims) in enumerate(PROBLEMS):
            for epsilon in options.epsilons:
                aim = aims[EPSILONS.index(epsilon)]
                one = partial(error, place, epsilon, options.people, wide=options.wide)
                each = np.array(list(pool.map(one, range(options.replications))))
                spread = each.std(ddof=1) / np.sqrt(len(each)) if len(each) > 1 else np.nan
                print(f"| {problem.formula} | {epsilon:g} | {each.mean():.3f} | {spread:.3f} | {aim:g} |", flush=True)


def error(place: int, epsilon: float, n_people: int, replication: int, *, wide: bool) -> float:
    """Return the error for one population."""
    problem, private, _ = PROBLEMS[place]
    rng = np.random.default_rng([SEED, place, replication])
    X, fresh = problem.draw(rng, n_people), problem.draw(rng, FRESH)
    truth, mean = problem.function(fresh), problem.function(X)
    low, high = float(min(mean.min(), truth.min())) - 1, float(max(mean.max(), truth.max())) + 1
    y = np.clip(mean + NOISE * rng.normal(size=n_people), low, high)
    beyond = 10 * (high - low) if wide else 0.0
    model = SemiPrivateRegressor(
        epsilon,
        label_bounds=(low - beyond, high + beyond),
        feature_bounds=(0.0, 1.0),
        private_features=private,
        random_state=int(rng.integers(2**31)),
    )
    return float(np.mean((model.fit(X, y).predict(fresh) - truth) ** 2) / truth.var())


if __name__ == "__main__":
    main()
