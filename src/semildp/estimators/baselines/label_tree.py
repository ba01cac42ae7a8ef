"""LabelDT: label privacy only, the upper end of what semi-feature privacy can reach."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from semildp.estimators.baselines.base import Baseline


@dataclass(eq=False, repr=False, kw_only=True)
class LabelTreeRegressor(Baseline):
    """The paper's LabelDT: the label is private, every feature is public, and an ordinary tree is grown on all.

    It protects no feature, so it refuses to be told that one is private.

    Parameters
    ----------
    epsilon
        What each person spends, all of it on the label.
    label_bounds, feature_bounds
        As in `HistOfTreeRegressor`.
    max_depth, min_samples_leaf
        As in scikit-learn's `DecisionTreeRegressor`.
    clip, random_state
        As in `HistOfTreeRegressor`.

    Attributes
    ----------
    model_
        The fitted tree, as plain numbers.
    privacy_
        What was spent, by whom, under which definition.
    """

    private_features: Any = field(default=None, init=False)  # not a parameter
    max_depth: int | None = 4
    min_samples_leaf: int = 10

    def _method(self) -> tuple[str, tuple[str, ...]]:
        return "label-tree", ("max_depth", "min_samples_leaf")
