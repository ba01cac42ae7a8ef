"""Every way to fit: estimators, participations, splitters, mechanisms of cell and label, learners."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

from semildp import HistOfTreeClassifier, HistOfTreeRegressor, SemiPrivateRegressor
from semildp.baselines import (
    LabelTreeRegressor,
    PrivateHistogramRegressor,
    PublicTreeRegressor,
    RandomizedFeatureTreeRegressor,
)
from semildp.partition import SPLITTERS
from tests.flow.watched import Keeper

Build = Callable[..., Any]
LABELS, BOX = (-2.0, 4.5), (0.0, 1.0)
GIVEN = {"label_bounds": LABELS, "feature_bounds": BOX}
SHAPE = {"n_histogram_features": 2, "depth": 2, "bins": 2}
LEARNERS = {"keeper": Keeper(), "tree": DecisionTreeRegressor(max_depth=3, random_state=0), "line": LinearRegression()}


def _trees() -> dict[str, Build]:
    ways: dict[str, Build] = {}
    for splitter, label in itertools.product(SPLITTERS, ("window", "laplace")):
        settings = {**GIVEN, "splitter": splitter, "label_mechanism": label}
        for participation in ("split", "both"):
            name = f"joint, {participation}, {splitter}, {label}"
            ways[name] = partial(HistOfTreeRegressor, epsilon=4.0, **settings, participation=participation)
        for cell in ("grr", "rr"):
            ways[f"paper, {cell}, {splitter}, {label}"] = partial(
                HistOfTreeRegressor.paper, epsilon=4.0, **settings, **SHAPE, cell_mechanism=cell
            )
    ways["joint, defaults"] = partial(HistOfTreeRegressor, epsilon=1.0, **GIVEN)
    ways["paper, defaults"] = partial(HistOfTreeRegressor.paper, epsilon=1.0, **GIVEN)
    return ways


class InClasses(HistOfTreeClassifier):
    """Takes a number as one of three classes, before anything else."""

    def fit(self, X: Any, y: Any, mask: Any = None) -> Any:
        return super().fit(X, np.array(["low", "middle", "high"])[np.digitize(y, [0.0, 2.0])], mask)


def _classes() -> dict[str, Build]:
    given = {"classes": ["low", "middle", "high"], "feature_bounds": BOX}
    ways: dict[str, Build] = {}
    for splitter in SPLITTERS:
        for participation in ("split", "both"):
            ways[f"classes, {participation}, {splitter}"] = partial(
                InClasses, epsilon=4.0, **given, splitter=splitter, participation=participation
            )
        for cell in ("grr", "rr"):
            ways[f"classes, paper, {cell}, {splitter}"] = partial(
                InClasses.paper, epsilon=4.0, **given, **SHAPE, splitter=splitter, cell_mechanism=cell
            )
    return ways


def _semi() -> dict[str, Build]:
    ways: dict[str, Build] = {}
    for participation, (learner, model) in itertools.product(("split", "both"), LEARNERS.items()):
        for epsilon in (0.5, 8.0):  # one round; two, where a feature is hidden by most
            name = f"semi-private, {participation}, {learner}, {epsilon:g}"
            ways[name] = partial(
                SemiPrivateRegressor, epsilon=epsilon, **GIVEN, participation=participation, learner=model
            )
    return ways


BASELINES: dict[str, Build] = {
    "ParDT": partial(PublicTreeRegressor, epsilon=2.0, **GIVEN),
    "KRR": partial(RandomizedFeatureTreeRegressor, epsilon=2.0, **GIVEN),
    "Hist": partial(PrivateHistogramRegressor, epsilon=2.0, **GIVEN),
    "LabelDT": partial(LabelTreeRegressor, epsilon=2.0, **GIVEN),
}
WAYS: dict[str, Build] = {**_trees(), **_classes(), **_semi(), **BASELINES}
DEFAULT_LEARNER: dict[str, Build] = {
    f"semi-private, {participation}, default learner": partial(
        SemiPrivateRegressor, epsilon=8.0, **GIVEN, participation=participation
    )
    for participation in ("split", "both")
}
HIDDEN: dict[str, Build] = {
    name: partial(build, hide_mask=True)
    for name, build in {**_trees(), **_classes()}.items()
    if "cart" not in name  # it needs public features
}
HIDDEN["Hist"] = BASELINES["Hist"]  # hides masks whatever they are
