"""ParDT: a tree on what is public, with noisy labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semildp.baselines.noisy_tree import NoisyTreeRegressor
from semildp.client import check_labels, complete_rows, randomise_labels
from semildp.domains import LabelGrid
from semildp.estimators.account import PrivacyAccount, groups_by_mask
from semildp.estimators.base import Terms
from semildp.estimators.inputs import read_sources
from semildp.masks import Mask

Floats = NDArray[np.float64]


class PublicTreeRegressor(NoisyTreeRegressor):
    """The paper's ParDT: all of epsilon goes to the label, and an ordinary tree is grown on public features only.

    Private entries are missing values to the tree; features that everyone hides are left out.

    Parameters
    ----------
    epsilon
        What each person spends, all of it on the label.
    label_bounds, feature_bounds, private_features
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

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        label_bounds: Any = None,
        feature_bounds: Any = None,
        private_features: Any = None,
        max_depth: int | None = 4,
        min_samples_leaf: int = 10,
        clip: bool = False,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.label_bounds = label_bounds
        self.feature_bounds = feature_bounds
        self.private_features = private_features
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.clip = clip
        self.random_state = random_state

    def _learn(self, X: Floats, y: Floats, mask: Mask, terms: Terms) -> None:
        grid = LabelGrid.for_epsilon(*terms.label_bounds, self.epsilon)
        fill, label_source, tree_source = read_sources(self.random_state, 3)
        rows = complete_rows(terms.feature_bounds, X, mask, fill, clip=self.clip)
        labels = randomise_labels(grid, check_labels(grid, y, fill, clip=self.clip), self.epsilon, label_source)
        public = np.where(mask, np.nan, rows)
        self._grow(public, labels, grid, tree_source, np.flatnonzero(~mask.all(axis=0)))
        self.privacy_ = PrivacyAccount(
            self.epsilon,
            groups_by_mask(mask, self.epsilon, 0.0),
            ("the label with discrete Laplace noise", "the person's public features, and which features are private"),
            terms.leaks,
            self.random_state is not None,
        )
