"""KRR: randomise each private feature on its own, then fit an ordinary tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semildp._checks import whole_number
from semildp.baselines.noisy_tree import NoisyTreeRegressor
from semildp.client import check_labels, complete_rows, randomise_features
from semildp.domains import LabelGrid
from semildp.estimators.account import Group, PrivacyAccount
from semildp.estimators.base import Terms
from semildp.estimators.inputs import read_sources
from semildp.masks import Mask

Floats = NDArray[np.float64]


class RandomizedFeatureTreeRegressor(NoisyTreeRegressor):
    """The paper's KRR: private features are cut in bins and sent by randomised response; an ordinary tree is grown.

    The paper does not say how epsilon is divided. Here a person with m private features spends epsilon / (m + 1) on
    each of them and on the label, so that the joint guarantee is the same as that of the other estimators.

    Parameters
    ----------
    epsilon
        What each person spends, on label and private features jointly.
    label_bounds, feature_bounds, private_features
        As in `HistOfTreeRegressor`.
    bins
        Bins per private feature (k).
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
        bins: int = 3,
        max_depth: int | None = 4,
        min_samples_leaf: int = 10,
        clip: bool = False,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.label_bounds = label_bounds
        self.feature_bounds = feature_bounds
        self.private_features = private_features
        self.bins = bins
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.clip = clip
        self.random_state = random_state

    def _learn(self, X: Floats, y: Floats, mask: Mask, terms: Terms) -> None:
        bins = whole_number("bins", self.bins, 2, 2**20)
        grid = LabelGrid.for_epsilon(*terms.label_bounds, self.epsilon)
        fill, source, tree_source = read_sources(self.random_state, 3)
        rows = complete_rows(terms.feature_bounds, X, mask, fill, clip=self.clip)
        checked = check_labels(grid, y, fill, clip=self.clip)
        sent, labels = randomise_features(terms.feature_bounds, grid, rows, checked, mask, bins, self.epsilon, source)
        self._grow(sent, labels, grid, tree_source, np.arange(X.shape[1]))
        sizes, people = np.unique(mask.sum(axis=1), return_counts=True)
        self.privacy_ = PrivacyAccount(
            self.epsilon,
            tuple(
                Group(int(m), int(n), self.epsilon / (int(m) + 1), self.epsilon - self.epsilon / (int(m) + 1))
                for m, n in zip(sizes, people, strict=True)
            ),
            (
                "the label with discrete Laplace noise",
                "the person's public features, and which features are private",
                f"each private feature's bin, one of {bins}, by generalised randomised response",
            ),
            terms.leaks,
            self.random_state is not None,
        )
