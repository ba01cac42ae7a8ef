"""The methods in the contest, what each of them protects, and how each is built."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.tree import DecisionTreeRegressor

from examples.demo.simulation import FEATURE_BOUNDS, LABEL_BOUNDS, N_FEATURES, PRIVATE
from semildp import HistOfTreeRegressor, SemiPrivateRegressor
from semildp.baselines import (
    LabelTreeRegressor,
    PrivateHistogramRegressor,
    PublicTreeRegressor,
    RandomizedFeatureTreeRegressor,
)

PUBLIC_TERMS: dict[str, Any] = {"label_bounds": LABEL_BOUNDS, "feature_bounds": FEATURE_BOUNDS, "clip": True}


@dataclass(frozen=True)
class Method:
    """One contestant.

    Parameters
    ----------
    name
        As in the paper's tables.
    what
        What it does, in a few plain words.
    protects
        What of a person its guarantee covers.
    build
        Makes an unfitted model from epsilon and a seed.
    reference
        Whether it protects less than the others promise, so that it is not in the running.
    """

    name: str
    what: str
    protects: str
    build: Callable[[float, int], Any]
    reference: bool = False


def semi_private(epsilon: float, seed: int) -> SemiPrivateRegressor:
    """Build the estimator this library recommends, with its defaults."""
    return SemiPrivateRegressor(epsilon, private_features=list(PRIVATE), random_state=seed, **PUBLIC_TERMS)


def joint_cells(epsilon: float, seed: int) -> HistOfTreeRegressor:
    """Build HistOfTree with this library's defaults."""
    return HistOfTreeRegressor(epsilon, private_features=list(PRIVATE), random_state=seed, **PUBLIC_TERMS)


def hist_of_tree(epsilon: float, seed: int) -> HistOfTreeRegressor:
    """Build the paper's method with everything chosen automatically."""
    return HistOfTreeRegressor.paper(epsilon, private_features=list(PRIVATE), random_state=seed, **PUBLIC_TERMS)


def private_histogram(epsilon: float, seed: int) -> PrivateHistogramRegressor:
    """Build the histogram that treats every feature as private."""
    return PrivateHistogramRegressor(epsilon, private_features=list(PRIVATE), random_state=seed, **PUBLIC_TERMS)


def public_tree(epsilon: float, seed: int) -> PublicTreeRegressor:
    """Build the tree that does without the private features."""
    return PublicTreeRegressor(epsilon, private_features=list(PRIVATE), random_state=seed, **PUBLIC_TERMS)


def randomized_features(epsilon: float, seed: int) -> RandomizedFeatureTreeRegressor:
    """Build the tree on private features that were randomised one by one."""
    return RandomizedFeatureTreeRegressor(epsilon, private_features=list(PRIVATE), random_state=seed, **PUBLIC_TERMS)


def noisy_mean(epsilon: float, seed: int) -> PublicTreeRegressor:
    """Build the mean of labels noised with all of epsilon: a tree on public features when there are none."""
    return PublicTreeRegressor(epsilon, private_features=list(range(N_FEATURES)), random_state=seed, **PUBLIC_TERMS)


def label_tree(epsilon: float, seed: int) -> LabelTreeRegressor:
    """Build the tree that sees every feature and a noisy label."""
    return LabelTreeRegressor(epsilon, random_state=seed, **PUBLIC_TERMS)


def open_tree(epsilon: float, seed: int) -> DecisionTreeRegressor:
    """Build an ordinary tree without privacy, as large as the private trees; epsilon plays no part."""
    size = PublicTreeRegressor().get_params()
    return DecisionTreeRegressor(
        max_depth=size["max_depth"], min_samples_leaf=size["min_samples_leaf"], random_state=seed
    )


CHOSEN = "label, features 1 and 2"
EVERYTHING = "label, all features"

SEMI_PRIVATE = Method("SemiPrivate", "any learner on public features, corrected by private ones", CHOSEN, semi_private)
JOINT = Method("Joint", "HistOfTree with cell and label in one report", CHOSEN, joint_cells)
HIST_OF_TREE = Method("HistOfTree", "the paper's: bins on private features, tree on public ones", CHOSEN, hist_of_tree)
MEAN = Method("Mean", "one number for all: the mean of noisy labels, all of ε on them", EVERYTHING, noisy_mean)
OPEN_TREE = Method("Tree", "ordinary decision tree, no privacy", "nothing", open_tree, reference=True)
METHODS = (
    SEMI_PRIVATE,
    JOINT,
    HIST_OF_TREE,
    Method("Hist", "histogram that treats all features as private", EVERYTHING, private_histogram),
    Method("ParDT", "tree on public features only", CHOSEN, public_tree),
    Method("KRR", "tree on separately randomised private features", CHOSEN, randomized_features),
    MEAN,
    Method("LabelDT", "tree on all features, noisy label", "label only", label_tree, reference=True),
    OPEN_TREE,
)
