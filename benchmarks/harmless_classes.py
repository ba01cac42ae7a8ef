"""Whether HistOfTreeClassifier is harmless: python -m benchmarks.harmless_classes [--data DIR] [--splits S] [--sets].

Defaults, the first ceil(ln sqrt d) features private to all (two of five in the simulation), labels that are numbers
thresholded at their median, 80 % of the people asked. Beside it: the majority class and the shares of classes of those
asked, as they are, without noise; and the shares as they are known from reports alone.
"""

from __future__ import annotations

import argparse
import math

import numpy as np
from sklearn import datasets
from sklearn.model_selection import train_test_split

import experiments.data  # noqa: F401  (lists the data sets)
from experiments.common.datasets import RECIPES, find_folder, load
from semildp import HistOfTreeClassifier
from semildp._arrays import Floats, Ints

EPSILONS = (0.5, 1.0, 2.0, 4.0)
PEOPLE = 12_500  # of the simulation, 10,000 of them asked
LISTED = ("breast_cancer", "wine", "iris", "digits")
HEAD = "| data | asked | classes | ε | accuracy | majority | log loss | prior's | prior's from reports | strength |"


def main() -> None:
    """Print the table, a row at a time."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", help="folder of the data sets; by default that of the variable SEMILDP_DATA")
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--sets", nargs="+", default=["sines", *LISTED, *RECIPES])
    options = parser.parse_args()
    print(HEAD + "\n|" + "---|" * (HEAD.count("|") - 1))
    for name in options.sets:
        X, y = problem(name, options.data)
        private = 2 if name == "sines" else math.ceil(math.log(math.sqrt(X.shape[1])))
        for epsilon in EPSILONS:
            found = np.mean([scores(X, y, private, epsilon, seed) for seed in range(options.splits)], axis=0)
            cells = " | ".join(f"{value:.3f}" for value in found)
            print(f"| {name} | {round(0.8 * len(X)):,} | {len(np.unique(y))} | {epsilon:g} | {cells} |", flush=True)


def problem(name: str, folder: str | None) -> tuple[Floats, Ints]:
    """Return features scaled to [0, 1], and classes by their places."""
    if name == "sines":
        rng = np.random.default_rng(0)
        X = rng.uniform(size=(PEOPLE, 5))
        return X, _above(np.sin(X[:, 0]) + np.sin(X[:, 1]) + np.sin(X[:, 4]) + rng.normal(size=PEOPLE))
    if name in RECIPES:
        found = load(name, find_folder(folder))
        return found.X, _above(found.y)
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    low, high = X.min(axis=0), X.max(axis=0)
    return (X - low) / np.where(high > low, high - low, 1.0), y


def _above(numbers: Floats) -> Ints:
    return np.asarray(numbers > np.median(numbers), dtype=np.int64)


def scores(X: Floats, y: Ints, private: int, epsilon: float, seed: int) -> tuple[float, ...]:
    """Fit on one split; return accuracy, that of the majority, log loss, that of both priors, and the strength."""
    asked, left, own, true = train_test_split(X, y, train_size=0.8, random_state=seed)
    model = HistOfTreeClassifier(
        epsilon,
        classes=np.unique(y).tolist(),
        feature_bounds=(0, 1),
        private_features=list(range(private)),
        random_state=seed,
    ).fit(asked, own)
    p, shares = model.predict_proba(left), np.bincount(own, minlength=y.max() + 1) / len(own)
    loss = -np.log(p[np.arange(len(true)), true]).mean()
    right, common = (p.argmax(axis=1) == true).mean(), (true == shares.argmax()).mean()
    return right, common, loss, -np.log(shares[true]).mean(), -np.log(model.prior_[true]).mean(), model.strength_


if __name__ == "__main__":
    main()
