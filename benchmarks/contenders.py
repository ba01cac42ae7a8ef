"""Who is timed: the estimators of this package, and scikit-learn's on the same data without privacy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.people import FEATURE_BOUNDS, LABEL_BOUNDS, PRIVATE

EPSILON = 2.0


@dataclass(frozen=True)
class Case:
    """One fit: who, of how many people and features, how deep a tree, how many bins per private feature."""

    method: str
    n: int
    d: int = 10
    depth: int = 6
    bins: int = 2


@dataclass(frozen=True)
class Contender:
    """An estimator under its name in tables; `build` makes one for a case."""

    label: str
    build: Callable[[Case], Any]
    ours: bool = False
    personal: bool = False
    most_rows: int = 10**9


def _paper(case: Case, **options: Any) -> Any:
    from semildp import HistOfTreeRegressor

    return HistOfTreeRegressor.paper(
        EPSILON,
        label_bounds=LABEL_BOUNDS,
        feature_bounds=FEATURE_BOUNDS,
        n_histogram_features=2,
        depth=case.depth,
        bins=case.bins,
        **options,
    )


def _semi_private(case: Case) -> Any:
    from semildp import SemiPrivateRegressor

    return SemiPrivateRegressor(
        EPSILON, label_bounds=LABEL_BOUNDS, feature_bounds=FEATURE_BOUNDS, private_features=list(PRIVATE)
    )


def _tree(case: Case) -> Any:
    from sklearn.tree import DecisionTreeRegressor

    return DecisionTreeRegressor(max_depth=case.depth)


def _histogram_tree(case: Case) -> Any:
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(
        max_iter=1, max_leaf_nodes=2**case.depth, learning_rate=1.0, early_stopping=False
    )


def _boosting(case: Case) -> Any:
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor()


CONTENDERS = {
    "paper": Contender(
        "HistOfTreeRegressor.paper",
        lambda case: _paper(case, private_features=list(PRIVATE)),
        ours=True,
    ),
    "personal": Contender("HistOfTreeRegressor.paper, personal masks", _paper, ours=True, personal=True),
    "semi": Contender("SemiPrivateRegressor", _semi_private, ours=True),
    "tree": Contender("DecisionTreeRegressor", _tree, most_rows=2_000_000),
    "histogram-tree": Contender("one HistGradientBoosting tree", _histogram_tree),
    "boosting": Contender("HistGradientBoostingRegressor", _boosting),
}
