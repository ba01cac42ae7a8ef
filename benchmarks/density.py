"""How a density's error falls with people, and who errs less: python -m benchmarks.density [--replications R].

Three features, of which the first is private to all; epsilon 1. The error is the integrated squared error over the unit
cube, at 2**15 points of a Sobol sequence. The first table has its mean, with its standard error, at 10**3 to 10**7
people, and the slope of its logarithm over that of people, from the first to the last and over the last decade, with
95 % intervals over replications. Theory's is -2 / (d + s + 2) = -1/3, for densities that have no jumps, once cells are
fine enough to follow them. The second compares with the histogram to which everything is private: all features
go through the same mechanism with the same epsilon, with the number of bins that is best for it on this density,
chosen after the fact from 2 to 8. It is "plain", unbiased counts projected on the simplex, or besides "shrunk" towards
an even density as the estimator does.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator

import numpy as np
from scipy.stats import qmc, t

from benchmarks.densities import FEATURES, TRUTHS, Truth
from semildp import HistOfTreeDensity
from semildp._arrays import Floats
from semildp.curator.estimate import unbiased
from semildp.curator.shrinking import to_simplex
from semildp.mechanisms import CELL_MECHANISMS

SEED, EPSILON, PRIVATE = 20_261_116, 1.0, [0]
PEOPLE, BINS = (10**3, 10**4, 10**5, 10**6, 10**7), (2, 3, 4, 6, 8)
POINTS = qmc.Sobol(FEATURES, seed=0).random_base2(15)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=20)
    parser.add_argument("--most", type=int, default=10**7, help="people of the largest fits")
    parser.add_argument("--only", choices=["rate", "beats"])
    options = parser.parse_args()
    if options.only != "beats":
        for line in rate(options.replications, [n for n in PEOPLE if n <= options.most]):
            print(line, flush=True)
    if options.only != "rate":
        for line in beats(max(options.replications // 4, 2), [n for n in PEOPLE[:3] if n <= options.most]):
            print(line, flush=True)


def rate(replications: int, people: list[int]) -> Iterator[str]:
    """Yield the lines of the first table."""
    yield f"\n| integrated squared error | {' | '.join(f'n = {n:,}' for n in people)} | slope | over the last decade |"
    yield "|---|" + "---|" * (len(people) + 2)
    for truth in TRUTHS:
        errors = np.array([[error(truth, n, r)[0] for n in people] for r in range(replications)])
        cells = " | ".join(told(column) for column in errors.T)
        yield f"| {truth.name} | {cells} | {slope(people, errors)} | {slope(people[-2:], errors[:, -2:])} |"


def slope(people: list[int], errors: Floats) -> str:
    """Return the mean slope of log errors (replication x people), with a 95 % interval."""
    slopes = [np.polyfit(np.log(people), np.log(row), 1)[0] for row in errors]
    half, middle = t.ppf(0.975, len(slopes) - 1) * np.std(slopes, ddof=1) / math.sqrt(len(slopes)), np.mean(slopes)
    return f"{middle:.3f} ({middle - half:.3f} to {middle + half:.3f})"


def beats(replications: int, people: list[int]) -> Iterator[str]:
    """Yield the lines of the second table."""
    yield "\n| density | people | this | plain | shrunk | this / plain | wins | mass off 1 by | least density |"
    yield "|---|" + "---|" * 8
    for n in people:
        for truth in TRUTHS:
            own = np.array([error(truth, n, r) for r in range(replications)])
            others = np.array([[all_private(truth, n, r, b) for r in range(replications)] for b in BINS])
            best = np.argmin(others.mean(axis=1), axis=0)
            plain, shrunk = (others[best[k], :, k] for k in (0, 1))
            means = f"{told(own[:, 0])} | {told(plain)} ({BINS[best[0]]} bins) | {told(shrunk)}"
            ratio, wins = own[:, 0].mean() / plain.mean(), int((own[:, 0] < plain).sum())
            checks = f"{own[:, 1].max():.1e} | {own[:, 2].min():.1e}"
            yield f"| {truth.name} | {n:,} | {means} | {ratio:.2f} | {wins}/{replications} | {checks} |"


def fitted(truth: Truth, n: int, replication: int, **parameters: object) -> HistOfTreeDensity:
    """Return one fit."""
    X = truth.draw(np.random.default_rng([SEED, n, replication]), n)
    model = HistOfTreeDensity(EPSILON, feature_bounds=(0, 1), private_features=PRIVATE, random_state=replication)
    return model.set_params(**parameters).fit(X)


def error(truth: Truth, n: int, replication: int) -> tuple[float, float, float]:
    """Return the integrated squared error of one fit, how far its mass is from 1, and its least density."""
    model = fitted(truth, n, replication)
    found = np.exp(model.score_samples(POINTS))
    return squared(truth, found), abs(math.fsum(model.model_.density.masses) - 1), float(found.min())


def all_private(truth: Truth, n: int, replication: int, bins: int) -> tuple[float, float]:
    """Return the error of a histogram to which everything is private: plain, and shrunk as the estimator does."""
    model = fitted(truth, n, replication, hide_mask=True, bins=bins)
    weights = CELL_MECHANISMS[model.mechanism_].weights(EPSILON)
    masses = to_simplex(unbiased(model.totals_.marks, weights) / model.totals_.weight, 1.0)
    plain = masses[model.partition_.cell(POINTS)] * model.partition_.n_cells
    return squared(truth, plain), squared(truth, np.exp(model.score_samples(POINTS)))


def told(errors: Floats) -> str:
    """Return the mean and its standard error."""
    return f"{errors.mean():.4f} ± {errors.std(ddof=1) / math.sqrt(len(errors)):.4f}"


def squared(truth: Truth, found: Floats) -> float:
    """Return the mean squared distance to the density."""
    return float(np.mean((found - truth.density(POINTS)) ** 2))


if __name__ == "__main__":
    main()
