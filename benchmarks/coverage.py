"""How often 90 % intervals hold E[label | x]: python -m benchmarks.coverage [--studies A..B] [--n N ...] [--eps E ...].

One study: people, masks and labels are drawn, the estimator is fitted, and intervals at fresh x are compared with f(x).
For classifiers (`semi-classes`, `cells-classes`) the label is one of two classes, with log odds 2 (f - mean) / sd, and
intervals are of its probability. The function "drawn" is another one in each study. Shown are the mean over studies of
the share of x whose interval holds the truth, with its standard error; the share of studies in which it is below 70 %;
the mean width; and the root mean square error beside the root mean square of the standard deviations.

Studies below 1,000 were looked at while error bars were built; figures are to be taken from 1,000 on. With `--out`
every study is appended to a CSV file, and those that are in it already are not run again.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.coverage_store import Outcome, Store
from benchmarks.drawn_functions import Drawn, drawn
from benchmarks.functions import together
from semildp import HistOfTreeClassifier, HistOfTreeRegressor, SemiPrivateClassifier, SemiPrivateRegressor
from semildp._arrays import Floats

SEED, FRESH, NOISE, PRIVATE = 20_261_116, 400, 0.7, [0, 1]
LOW = 0.7  # studies with a smaller share inside are counted
MASKS = {"aligned": False, "personal": True}
HIDING = (0.9, 0.7, 0.4, 0.3, 0.1)  # with personal masks: how often each of five features is hidden
Draw = Callable[[np.random.Generator, int], Floats]


def even(rng: np.random.Generator, n: int) -> Floats:
    """Draw independent features."""
    return rng.uniform(size=(n, len(HIDING)))


@dataclass(frozen=True)
class Setting:
    """A function of five features, of which the first two are private, and how features are drawn."""

    function: Callable[[Floats], Floats]
    draw: Draw = even


FUNCTIONS = {
    "sines": Setting(lambda x: np.sin(x[:, 0]) + np.sin(x[:, 1]) + np.sin(x[:, 4])),
    "waves": Setting(lambda x: np.sin(2 * np.pi * x[:, 0]) + np.sin(2 * np.pi * x[:, 3])),
    "product": Setting(lambda x: 2 * x[:, 0] * x[:, 2] + x[:, 3]),
    "xor": Setting(lambda x: ((x[:, 0] > 0.5) ^ (x[:, 2] > 0.5)).astype(np.float64)),
    "u-shape": Setting(lambda x: 4 * (x[:, 0] - 0.5) ** 2 + x[:, 2] ** 2),
    "constant": Setting(lambda x: np.full(len(x), 0.3)),
    "public": Setting(lambda x: 1.5 * x[:, 2] - x[:, 3]),
    "correlated": Setting(lambda x: x[:, 0] + x[:, 1] - x[:, 3], together),
}
DRAWN = "drawn"
ESTIMATORS = {"semi": SemiPrivateRegressor, "joint": HistOfTreeRegressor, "paper": HistOfTreeRegressor.paper}
CLASSIFIERS = {"semi-classes": SemiPrivateClassifier, "cells-classes": HistOfTreeClassifier}
NOISES = {
    "normal": lambda rng, x: rng.normal(size=len(x)),
    "skewed": lambda rng, x: rng.exponential(size=len(x)) - 1,
    "uneven": lambda rng, x: rng.normal(size=len(x)) * (0.3 + 1.4 * x[:, 2]),
}


@dataclass(frozen=True)
class Case:
    """What is studied."""

    function: str
    estimator: str
    n: int
    epsilon: float
    personal: bool
    noise: str = "normal"
    wide: float = 1.0
    coverage: float = 0.9

    @property
    def name(self) -> str:
        """The case in a file of results."""
        masks = "personal" if self.personal else "aligned"
        parts = (self.estimator, self.function, self.n, f"{self.epsilon:g}", masks)
        return " ".join(map(str, (*parts, self.noise, f"{self.wide:g}", f"{self.coverage:g}")))


def study(case: Case, replication: int) -> Outcome:
    """Run one study."""
    words = [*case.function.encode(), case.n, int(1000 * case.epsilon), case.personal, replication]
    rng = np.random.default_rng([SEED, *words])
    setting = drawn(rng) if case.function == DRAWN else FUNCTIONS[case.function]
    X, fresh = setting.draw(rng, case.n), setting.draw(rng, FRESH)
    mask = rng.random(X.shape) < HIDING if case.personal else None
    about = {
        "epsilon": case.epsilon,
        "feature_bounds": (0.0, 1.0),
        "private_features": None if case.personal else PRIVATE,
        "random_state": int(rng.integers(2**31)),
    }
    fitted = _classes if case.estimator in CLASSIFIERS else _numbers
    truth, predicted, deviation, (low, high) = fitted(case, setting, rng, X, fresh, mask, about)
    inside = (low <= truth) & (truth <= high)
    error, variance = float(np.mean((predicted - truth) ** 2)), float(np.mean(deviation**2))
    return Outcome(float(inside.mean()), float(np.mean(high - low)), error, variance)


Population = Setting | Drawn
Found = tuple[Floats, Floats, Floats, tuple[Floats, Floats]]


def _numbers(
    case: Case, of: Population, rng: np.random.Generator, X: Floats, fresh: Floats, mask: Any, about: Any
) -> Found:
    """Return f at fresh x, predictions, their standard deviations, and intervals."""
    mean, truth = of.function(X), of.function(fresh)
    low, high = min(mean.min(), truth.min()) - 1, max(mean.max(), truth.max()) + 1
    y = np.clip(mean + NOISE * NOISES[case.noise](rng, X), low, high)
    beyond = (case.wide - 1) * (high - low) / 2
    model = ESTIMATORS[case.estimator](label_bounds=(low - beyond, high + beyond), clip=True, **about)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # wide bounds are meant
        model.fit(X, y, mask=mask)
    return truth, *model.predict(fresh, return_std=True), model.predict_interval(fresh, case.coverage)


def _classes(
    case: Case, of: Population, rng: np.random.Generator, X: Floats, fresh: Floats, mask: Any, about: Any
) -> Found:
    """Return the probability of the second class at fresh x, as predicted, its standard deviations, and intervals."""
    mean = of.function(X)
    middle, spread = float(mean.mean()), max(float(mean.std()), 1e-9)
    chance, truth = (1 / (1 + np.exp(-2 * (f - middle) / spread)) for f in (mean, of.function(fresh)))
    model = CLASSIFIERS[case.estimator](classes=[0, 1], **about)
    model.fit(X, (rng.random(len(X)) < chance).astype(np.int64), mask=mask)
    predicted, deviation = model.predict_proba(fresh, return_std=True)
    low, high = model.predict_proba_interval(fresh, case.coverage)
    return truth, predicted[:, 1], deviation[:, 1], (low[:, 1], high[:, 1])


def row(case: Case, each: list[Outcome]) -> str:
    """Return one row of the table."""
    inside = np.array([one.inside for one in each])
    width, square, variance = np.mean([(one.width, one.square, one.variance) for one in each], axis=0)
    error = inside.std(ddof=1) / np.sqrt(len(each)) if len(each) > 1 else np.nan
    masks = "personal" if case.personal else "aligned"
    return (
        f"| {case.estimator} | {case.function} | {case.n:,} | {case.epsilon:g} | {masks} | {len(each)} | "
        f"{inside.mean():.3f} | {error:.3f} | {np.mean(inside < LOW):.2f} | {width:.3f} | {square**0.5:.3f} | "
        f"{variance**0.5:.3f} |"
    )


def studies(text: str) -> range:
    """Read "30" as the first 30 studies, "1000..1500" as those from 1,000 to 1,499."""
    first, _, last = text.rpartition("..")
    return range(int(first or 0), int(last))


def run(cases: list[Case], numbers: range, store: Store, processes: int) -> Iterator[tuple[Case, list[Outcome]]]:
    """Run what is not in the store yet, and yield each case when its studies are done."""
    from tqdm import tqdm

    left = {case: [k for k in numbers if store.get(case.name, k) is None] for case in cases}
    with (
        ProcessPoolExecutor(processes) as pool,
        tqdm(total=sum(map(len, left.values())), unit="study", smoothing=0.02, leave=False, disable=None) as bar,
    ):
        for case, missing in left.items():
            bar.set_postfix_str(case.name)
            for k, outcome in zip(missing, pool.map(study, [case] * len(missing), missing), strict=True):
                store.put(case.name, k, outcome)
                bar.update()
            yield case, [found for k in numbers if (found := store.get(case.name, k)) is not None]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=studies, default=range(30), metavar="A..B", help="B is not included")
    parser.add_argument("--n", type=int, nargs="+", default=[2_000])
    parser.add_argument("--eps", type=float, nargs="+", default=[1.0, 4.0])
    parser.add_argument("--masks", nargs="+", choices=MASKS, default=list(MASKS))
    parser.add_argument("--functions", nargs="+", choices=[DRAWN, *FUNCTIONS], default=[DRAWN])
    parser.add_argument("--estimators", nargs="+", choices=[*ESTIMATORS, *CLASSIFIERS], default=["joint", "semi"])
    parser.add_argument("--noise", choices=NOISES, default="normal")
    parser.add_argument("--wide", type=float, default=1.0, help="label bounds so many times as wide")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, help="CSV file to which studies are appended")
    options = parser.parse_args()
    print("| estimator | function | people | ε | masks | studies | coverage | ± | below .7 | width | RMSE | RMS std |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    every = product(options.estimators, options.n, options.eps, options.masks, options.functions)
    cases = [
        Case(function, estimator, n, epsilon, MASKS[masks], options.noise, options.wide)
        for estimator, n, epsilon, masks, function in every
    ]
    for case, found in run(cases, options.studies, Store(options.out), options.processes):
        print(row(case, found), flush=True)


if __name__ == "__main__":
    main()
