"""SemiPrivate on functions drawn anew: python -m benchmarks.together [--independent] [--people N] [--replications N].

Functions and features are those of `drawn_functions`, drawn until features go together, or with `--independent` until
they do not; the first two or four of five features are private. "All public" is the same estimator, told everything but
the label. The seed was chosen before the first run with it; the family was looked at with other seeds while effects of
such features were mended.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np

from benchmarks.drawn_functions import drawn
from semildp import SemiPrivateRegressor

SEED, FRESH, NOISE = 20_261_118, 20_000, 0.7
EPSILONS, PRIVATE = (1.0, 2.0, 4.0, 8.0), (2, 4, 0)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=10_000)
    parser.add_argument("--replications", type=int, default=40)
    parser.add_argument("--independent", action="store_true", help="features do not go together")
    options = parser.parse_args()
    print("| private | ε | error | standard error | median | worst |\n|---|---|---|---|---|---|")
    with ProcessPoolExecutor() as pool:
        for private in PRIVATE:
            for epsilon in EPSILONS:
                one = partial(error, private, epsilon, options.people, independent=options.independent)
                each = np.array(list(pool.map(one, range(options.replications))))
                spread = each.std(ddof=1) / np.sqrt(len(each)) if len(each) > 1 else np.nan
                figures = f"{each.mean():.3f} | {spread:.3f} | {np.median(each):.3f} | {each.max():.2f}"
                print(f"| {private or 'all public'} | {epsilon:g} | {figures} |", flush=True)


def error(private: int, epsilon: float, n_people: int, replication: int, *, independent: bool) -> float:
    """Return the error over the function's variance, for one function."""
    rng = np.random.default_rng([SEED, replication])
    while ((problem := drawn(rng)).mixing is None) != independent:
        pass
    X, fresh = problem.draw(rng, n_people), problem.draw(rng, FRESH)
    truth, mean = problem.function(fresh), problem.function(X)
    low, high = float(min(mean.min(), truth.min())) - 1, float(max(mean.max(), truth.max())) + 1
    model = SemiPrivateRegressor(
        epsilon,
        label_bounds=(low, high),
        feature_bounds=(0.0, 1.0),
        private_features=list(range(private)),
        random_state=int(rng.integers(2**31)),
    )
    model.fit(X, np.clip(mean + NOISE * rng.normal(size=n_people), low, high))
    return float(np.mean((model.predict(fresh) - truth) ** 2) / truth.var())


if __name__ == "__main__":
    main()
