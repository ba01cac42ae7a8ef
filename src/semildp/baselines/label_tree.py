"""LabelDT: label privacy only, the upper end of what semi-feature privacy can reach."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semildp.baselines.public_tree import PublicTreeRegressor
from semildp.errors import InputError
from semildp.estimators.base import Terms
from semildp.masks import Mask

Floats = NDArray[np.float64]


class LabelTreeRegressor(PublicTreeRegressor):
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
    tree_
        The fitted scikit-learn tree.
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

    def _learn(self, X: Floats, y: Floats, mask: Mask, terms: Terms) -> None:
        if mask.any():
            raise InputError(
                "LabelTreeRegressor keeps only the label private. Got a mask with private features; "
                "leave the mask out if they may be public, or use HistOfTreeRegressor."
            )
        super()._learn(X, y, mask, terms)
