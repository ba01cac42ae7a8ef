"""What SemiPrivateClassifier is worth: python -m benchmarks.classification [--data DIR] [--splits S] [--epsilons ...].

The paper's simulation (10,000 people, sines, two private features of five) and public data sets; numbers are
thresholded at their median, the first ceil(ln sqrt d) features are private to all. A fifth of the people is left out to
score. Beside it: the majority class and the class shares of those who were asked, without noise ("prior"); these shares
as randomised response with all of epsilon tells them ("private prior": what a study that learns nothing else could
know); and the same with all features public. Splits are the same for all columns; errors are two standard errors over
splits, of the log loss less the prior's and less the private prior's.
"""

from __future__ import annotations

import argparse
import math
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn import datasets
from sklearn.metrics import accuracy_score, log_loss

import experiments.data  # noqa: F401  (lists the data sets)
from experiments.common.datasets import find_folder, load
from semildp import SemiPrivateClassifier
from semildp._arrays import Floats, Ints
from semildp.mechanisms import GeneralisedResponse
from semildp.models.classes import to_simplex
from semildp.sources import SeededSource

EPSILONS = (0.5, 1.0, 2.0, 4.0)
PEOPLE, PART = 10_000, 0.8
DRAWS, FLOOR = 50, 0.01  # of the private prior: how often it is drawn, and what no share is below
THRESHOLDED = {
    "abalone": "ABA",
    "red wine": "RED",
    "white wine": "WHI",
    "fish": "FIS",
    "aquatic": "AQU",
    "pyrimidines": "PYR",
}
LISTED = ("iris", "wine", "breast_cancer", "digits")
HEAD = (
    "| data | people | classes | ε | majority | accuracy | all public | log loss | prior's | difference "
    "| private prior's | difference |"
)


@dataclass(frozen=True, eq=False)
class Scores:
    """Accuracy and log loss, of the estimator, of the majority and of the estimator with all features public."""

    accuracy: float
    majority: float
    public: float
    loss: float
    prior: float
    private_prior: float


def main() -> None:
    """Print the table, a row at a time."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="folder of the data sets; by default that of the variable SEMILDP_DATA")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--epsilons", type=float, nargs="+", default=EPSILONS)
    parser.add_argument("--sets", nargs="+", default=["sines", *LISTED, *THRESHOLDED])
    options = parser.parse_args()
    folder = find_folder(options.data) if set(options.sets) & set(THRESHOLDED) else Path()
    warnings.simplefilter("ignore")  # bounds are read from the data
    print(HEAD)
    print("|---" * HEAD.count(" | ") + "|---|")
    for name in options.sets:
        X, y = people(name, folder)
        for epsilon in options.epsilons:
            found = [scores(X, y, epsilon, seed) for seed in range(options.splits)]
            print(row(name, X, y, epsilon, found), flush=True)


def people(name: str, folder: Path) -> tuple[Floats, Ints]:
    """Return features and classes 0, 1, ... of a data set."""
    if name in LISTED:
        listed = getattr(datasets, f"load_{name}")()
        return np.asarray(listed.data, dtype=np.float64), np.asarray(listed.target)
    if name == "sines":
        rng = np.random.default_rng(0)
        X = rng.uniform(size=(round(PEOPLE / PART), 5))
        y = np.sin(X[:, [0, 1, 4]]).sum(axis=1) + rng.normal(size=len(X))
    else:
        table = load(THRESHOLDED[name], folder)
        X, y = table.X, table.y
    return X, (y > np.median(y)).astype(np.int64)


def scores(X: Floats, y: Ints, epsilon: float, seed: int) -> Scores:
    """Fit to four fifths and score on the rest; with all features public at the largest epsilon only, to save time."""
    order = np.random.default_rng([1, seed]).permutation(len(y))
    asked, fresh = np.split(order, [round(PART * len(y))])
    shares = np.bincount(y[asked], minlength=y.max() + 1) / len(asked)
    private = list(range(math.ceil(math.log(math.sqrt(X.shape[1])))))
    found = [fit(X[asked], y[asked], epsilon, private, seed)]
    if epsilon == max(EPSILONS):
        found.append(fit(X[asked], y[asked], epsilon, [], seed))
    accuracy = [accuracy_score(y[fresh], model.predict(X[fresh])) for model in found]
    classes = np.arange(len(shares))

    def loss_of(shares: Floats) -> float:
        return float(log_loss(y[fresh], np.tile(shares, (len(fresh), 1)), labels=classes))

    return Scores(
        accuracy[0],
        float((y[fresh] == shares.argmax()).mean()),
        accuracy[-1] if len(found) == 2 else math.nan,
        log_loss(y[fresh], found[0].predict_proba(X[fresh]), labels=classes),
        loss_of(shares),
        float(np.mean([loss_of(private_shares(y[asked], len(shares), epsilon, k)) for k in range(DRAWS)])),
    )


def private_shares(y: Ints, n_classes: int, epsilon: float, seed: int) -> Floats:
    """Return class shares from everybody's class by randomised response: unbiased, then made not negative."""
    sent = GeneralisedResponse(epsilon, n_classes).randomise(y, SeededSource(seed))
    other = 1 / (math.exp(epsilon) + n_classes - 1)
    told = (np.bincount(sent, minlength=n_classes) / len(y) - other) / (math.expm1(epsilon) * other)
    shares = np.maximum(to_simplex(told), FLOOR)
    return np.asarray(shares / shares.sum())


def fit(X: Floats, y: Ints, epsilon: float, private: list[int], seed: int) -> SemiPrivateClassifier:
    """Fit with defaults; classes are public, and bounds are those of the data."""
    classes = list(range(int(y.max()) + 1))
    return SemiPrivateClassifier(epsilon, classes=classes, private_features=private, random_state=seed).fit(X, y)


def row(name: str, X: Floats, y: Ints, epsilon: float, found: list[Scores]) -> str:
    """Return a row of the table."""
    mean = {key: float(np.mean([getattr(each, key) for each in found])) for key in Scores.__annotations__}
    noiseless = difference([each.loss - each.prior for each in found])
    private = difference([each.loss - each.private_prior for each in found])
    public = "" if math.isnan(mean["public"]) else f"{100 * mean['public']:.1f}"
    return (
        f"| {name.replace('_', ' ')} | {round(PART * len(y)):,} | {y.max() + 1} | {epsilon:g} "
        f"| {100 * mean['majority']:.1f} | {100 * mean['accuracy']:.1f} | {public} | {mean['loss']:.3f} "
        f"| {mean['prior']:.3f} | {noiseless} | {mean['private_prior']:.3f} | {private} |"
    )


def difference(each: list[float]) -> str:
    """Return the mean, with two standard errors."""
    error = 2 * float(np.std(each, ddof=1)) / math.sqrt(len(each)) if len(each) > 1 else math.nan
    return f"{np.mean(each):+.3f} ± {error:.3f}"


if __name__ == "__main__":
    main()
