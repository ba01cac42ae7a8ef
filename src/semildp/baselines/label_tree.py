"""LabelDT: label privacy only, the upper end of what semi-feature privacy can reach."""

from __future__ import annotations

from typing import Any

from semildp.estimators.base import LocallyPrivateRegressor


class LabelTreeRegressor(LocallyPrivateRegressor):
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

    private_features = None

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        label_bounds: Any = None,
        feature_bounds: Any = None,
        max_depth: int | None = 4,
        min_samples_leaf: int = 10,
        clip: bool = False,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.label_bounds = label_bounds
        self.feature_bounds = feature_bounds
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.clip = clip
        self.random_state = random_state

    def _method(self) -> tuple[str, tuple[str, ...]]:
        return "label-tree", ("max_depth", "min_samples_leaf")
