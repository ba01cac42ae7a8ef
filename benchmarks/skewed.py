"""What SemiPrivate makes of skewed labels: python -m benchmarks.skewed [--people N] [--replications R].

Five features are uniform, the first two private. Beside it stand the same estimator without the private features, and
the mean of labels that are sent alone, as one bit each. The error is that of the mean label given all features, over
its variance.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np

from benchmarks.which_estimator import EPSILONS, FRESH
from semildp import SemiPrivateRegressor
from semildp._arrays import Floats

SEED = 20_261_203
PRIVATE, PUBLIC = [0, 1], [2, 3, 4]


class Kind(NamedTuple):
    """A kind of label: its bounds, its mean given features, and how it is drawn given these."""

    name: str
    bounds: tuple[float, float]
    mean: Callable[[Floats], Floats]
    draw: Callable[[np.random.Generator, Floats], Floats]


def events(
    low: float, slope: float
) -> tuple[Callable[[Floats], Floats], Callable[[np.random.Generator, Floats], Floats]]:
    """Return the probability of an event, linear in a private and a public feature, and draws of events."""
    chance = partial(_linear, low, slope)
    return chance, lambda rng, x: (rng.uniform(size=len(x)) < chance(x)).astype(np.float64)


def _linear(low: float, slope: float, x: Floats) -> Floats:
    return np.asarray(low + slope * (x[:, 0] + x[:, 2]))


def _claims(rng: np.random.Generator, x: Floats) -> Floats:
    some = rng.uniform(size=len(x)) < 0.1 + 0.3 * (x[:, 0] > 0.6)
    return np.asarray(some * (5 + 5 * x[:, 2]) * rng.gamma(2, 0.5, size=len(x)))


KINDS = (
    Kind(
        "waits: exponential",
        (0, 20),
        lambda x: _linear(0.5, 1, x),
        lambda r, x: _linear(0.5, 1, x) * r.exponential(size=len(x)),
    ),
    Kind(
        "claims: 0 for three of four, else gamma",
        (0, 20),
        lambda x: (0.1 + 0.3 * (x[:, 0] > 0.6)) * (5 + 5 * x[:, 2]),
        _claims,
    ),
    Kind(
        "incomes: log-normal",
        (0, 60),
        lambda x: np.exp(_linear(0.32, 1, x)),
        lambda r, x: np.exp(_linear(0, 1, x) + 0.8 * r.normal(size=len(x))),
    ),
    Kind(
        "counts: Poisson",
        (0, 20),
        lambda x: _linear(0.3, 0.7, x),
        lambda r, x: r.poisson(_linear(0.3, 0.7, x)).astype(float),
    ),
    Kind("events: one of two", (0, 1), *events(0.2, 0.3)),
    Kind("events: one of five", (0, 1), *events(0.05, 0.15)),
    Kind("events: one of twenty", (0, 1), *events(0.01, 0.04)),
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--people", type=int, default=10_000)
    parser.add_argument("--replications", type=int, default=20)
    parser.add_argument("--epsilons", type=float, nargs="+", default=EPSILONS)
    options = parser.parse_args()
    print("| labels | ε | SemiPrivate | without private features | private mean |\n|---|---|---|---|---|")
    with ProcessPoolExecutor() as pool:
        for place, kind in enumerate(KINDS):
            for epsilon in options.epsilons:
                one = partial(errors, place, epsilon, options.people)
                each = np.array(list(pool.map(one, range(options.replications))))
                spread = each.std(axis=0, ddof=1) / np.sqrt(len(each)) if len(each) > 1 else np.full(3, np.nan)
                told = " | ".join(f"{m:.3f} ± {s:.3f}" for m, s in zip(each.mean(axis=0), spread, strict=True))
                print(f"| {kind.name} | {epsilon:g} | {told} |", flush=True)


def errors(place: int, epsilon: float, n_people: int, replication: int) -> tuple[float, ...]:
    """Return the errors of all three for one population."""
    kind, rng = KINDS[place], np.random.default_rng([SEED, place, replication])
    X, fresh = rng.uniform(size=(n_people, 5)), rng.uniform(size=(FRESH, 5))
    y, truth = np.clip(kind.draw(rng, X), *kind.bounds), kind.mean(fresh)
    seed = int(rng.integers(2**31))
    predicted = []
    for columns, private in ((PRIVATE + PUBLIC, PRIVATE), (PUBLIC, [])):
        model = SemiPrivateRegressor(
            epsilon, label_bounds=kind.bounds, feature_bounds=(0.0, 1.0), private_features=private, random_state=seed
        )
        predicted.append(model.fit(X[:, columns], y).predict(fresh[:, columns]))
    predicted.append(np.full(len(fresh), np.clip(one_bit_each(rng, y, kind.bounds, epsilon).mean(), *kind.bounds)))
    return tuple(float(np.mean((each - truth) ** 2) / truth.var()) for each in predicted)


def one_bit_each(rng: np.random.Generator, y: Floats, bounds: tuple[float, float], epsilon: float) -> Floats:
    """Return noisy labels: each is one of two numbers, with the label for mean."""
    middle, half = sum(bounds) / 2, (bounds[1] - bounds[0]) / 2 / np.tanh(epsilon / 2)
    return np.asarray(np.where(rng.uniform(size=len(y)) < (1 + (y - middle) / half) / 2, middle + half, middle - half))


if __name__ == "__main__":
    main()
