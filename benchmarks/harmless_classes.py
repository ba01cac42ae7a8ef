"""Whether HistOfTreeClassifier is harmless: python -m benchmarks.harmless_classes [--data DIR] [--splits S] [--sets].

Defaults, the first ceil(ln sqrt d) features private to all (two of five in the simulation), labels that are numbers
thresholded at their median, 80 % of the people asked. Beside it:

- the majority class and the shares of classes of those asked, as they are, without noise;
- the private majority: the class that most reports name if everybody asked sends nothing but the class, with all of
  epsilon, by generalised response, averaged over draws. No more can be known of the majority. `is it` is how often
  both are the same;
- the shares as they are known from the reports of the fit alone.

Differences are paired, split by split, in points, with the standard error of their mean over splits. Splits overlap, so
it is somewhat too small. Labels that were cut at their median have no majority but by chance: what is more common among
those asked is then less common among the others.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass, fields

import numpy as np
from sklearn import datasets
from sklearn.model_selection import train_test_split

import experiments.data  # noqa: F401  (lists the data sets)
from experiments.common.datasets import RECIPES, find_folder, load
from semildp import HistOfTreeClassifier
from semildp._arrays import Floats, Ints

EPSILONS = (0.5, 1.0, 2.0, 4.0)
PEOPLE = 12_500  # of the simulation, 10,000 of them asked
DRAWS = 1000  # of everybody's reports of the class alone
LISTED = ("breast_cancer", "wine", "iris", "digits")
HEAD = (
    "| data | asked | classes | ε | accuracy | majority | less it | private majority | is it | less it | log loss | "
    "prior's | prior's from reports | less it | strength |"
)


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
            found = [scores(X, y, private, epsilon, seed) for seed in range(options.splits)]
            print(
                f"| {name} | {round(0.8 * len(X)):,} | {len(np.unique(y))} | {epsilon:g} | {row(found)} |", flush=True
            )


def row(found: list[Scores]) -> str:
    """Return the means over splits, and the paired differences."""
    each = {field.name: np.array([getattr(one, field.name) for one in found]) for field in fields(Scores)}

    def mean(name: str) -> str:
        return f"{each[name].mean():.3f}"

    def less(one: str, other: str, digits: int) -> str:
        difference = 100 * (each[one] - each[other])
        error = difference.std(ddof=1) / np.sqrt(len(difference)) if len(difference) > 1 else np.nan
        return f"{difference.mean():+.{digits}f} ± {error:.{digits}f}"

    columns = [mean("right"), mean("common"), less("right", "common", 1), mean("reported"), mean("known")]
    columns += [less("right", "reported", 1), mean("loss"), mean("of_shares"), mean("of_prior")]
    return " | ".join([*columns, less("loss", "of_prior", 2), mean("strength")])


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


@dataclass(frozen=True)
class Scores:
    """Of one split: accuracies of the model, of the majority and of the private one; log losses, and the strength."""

    right: float
    common: float
    reported: float
    known: float
    loss: float
    of_shares: float
    of_prior: float
    strength: float


def scores(X: Floats, y: Ints, private: int, epsilon: float, seed: int) -> Scores:
    """Fit on one split and compare."""
    asked, left, own, true = train_test_split(X, y, train_size=0.8, random_state=seed)
    model = HistOfTreeClassifier(
        epsilon,
        classes=np.unique(y).tolist(),
        feature_bounds=(0, 1),
        private_features=list(range(private)),
        random_state=seed,
    ).fit(asked, own)
    p, shares = model.predict_proba(left), np.bincount(own, minlength=y.max() + 1) / len(own)
    named = reported_majority(own, len(shares), epsilon, seed)
    each = np.bincount(true, minlength=len(shares)) / len(true)
    return Scores(
        right=(p.argmax(axis=1) == true).mean(),
        common=(true == shares.argmax()).mean(),
        reported=float(each @ named),
        known=float(named[shares.argmax()]),
        loss=-np.log(p[np.arange(len(true)), true]).mean(),
        of_shares=-np.log(shares[true]).mean(),
        of_prior=-np.log(model.prior_[true]).mean(),
        strength=model.strength_,
    )


def reported_majority(y: Ints, n_classes: int, epsilon: float, seed: int) -> Floats:
    """Return how often most reports name each class if everybody sends theirs by generalised response."""
    rng, other = np.random.default_rng([seed, len(y)]), 1 / (np.exp(epsilon) + n_classes - 1)
    chances = np.where(np.eye(n_classes), np.exp(epsilon) * other, other)
    sent = sum(rng.multinomial(n, p, DRAWS) for n, p in zip(np.bincount(y, minlength=n_classes), chances, strict=True))
    return np.bincount(np.argmax(sent, axis=1), minlength=n_classes) / DRAWS


if __name__ == "__main__":
    main()
