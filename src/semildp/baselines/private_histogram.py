"""Hist: everything private, a cubic histogram with Laplace noise on mass and label sum of each cell."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semildp._checks import finite_number
from semildp.backends import fold
from semildp.client import check_labels, complete_rows, report_histogram
from semildp.domains import LabelGrid
from semildp.estimators.account import PrivacyAccount, groups_by_mask
from semildp.estimators.base import LocallyPrivateRegressor, Terms
from semildp.estimators.inputs import read_sources
from semildp.masks import Mask
from semildp.partition import Partition, Shape, Tree

Floats = NDArray[np.float64]

_ENTRIES = 1 << 20  # entries of noisy vectors held at a time


class PrivateHistogramRegressor(LocallyPrivateRegressor):
    """The paper's Hist: treats every feature as private, whatever people choose.

    Parameters
    ----------
    epsilon
        What each person spends, half on the indicators of the cells, half on the labels in them.
    label_bounds, feature_bounds, private_features
        As in `HistOfTreeRegressor`; what is private makes no difference but for which entries may be missing.
    bins
        Bins per feature (t); the histogram has bins**d cells.
    threshold
        Cells with a noisy mass below this predict the middle of the label bounds (zeta).
    clip, random_state
        As in `HistOfTreeRegressor`.

    Attributes
    ----------
    partition_
        The histogram.
    values_
        Prediction per cell.
    privacy_
        What was spent, by whom, under which definition.

    References
    ----------
    Berrett, Györfi and Walk (2021), "Strongly universally consistent nonparametric regression and classification with
    privatised data".
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        label_bounds: Any = None,
        feature_bounds: Any = None,
        private_features: Any = None,
        bins: int = 2,
        threshold: float = 0.01,
        clip: bool = False,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.label_bounds = label_bounds
        self.feature_bounds = feature_bounds
        self.private_features = private_features
        self.bins = bins
        self.threshold = threshold
        self.clip = clip
        self.random_state = random_state

    def _learn(self, X: Floats, y: Floats, mask: Mask, terms: Terms) -> None:
        threshold = finite_number("threshold", self.threshold)
        d = X.shape[1]
        Shape(d, 0, self.bins)
        partition = Partition(terms.feature_bounds, tuple(range(d)), self.bins, Tree())
        grid = LabelGrid.for_epsilon(*terms.label_bounds, self.epsilon)
        fill, source = read_sources(self.random_state, 2)
        rows = complete_rows(terms.feature_bounds, X, mask, fill, clip=self.clip)
        labels = check_labels(grid, y, fill, clip=self.clip)

        def ask(people: slice) -> NDArray[np.int64]:
            cell = partition.cell(rows[people])
            reports = report_histogram(grid, cell, labels[people], partition.n_cells, self.epsilon, source)
            return np.asarray(np.stack(reports).sum(axis=1))

        mass_total, label_total = fold(ask, len(rows), max(1, _ENTRIES // partition.n_cells))
        mass = mass_total / (grid.steps * len(rows))
        heavy = mass >= max(threshold, np.finfo(float).tiny)
        label = np.divide(label_total / len(rows), mass, out=np.zeros(len(mass)), where=heavy)
        self.values_: Floats = np.clip(grid.decode(label + grid.steps // 2), grid.low, grid.high)
        self.partition_ = partition
        self.privacy_ = PrivacyAccount(
            self.epsilon,
            groups_by_mask(np.ones_like(mask), self.epsilon / 2, self.epsilon / 2),
            (f"two vectors of {partition.n_cells} entries with discrete Laplace noise: cell indicators, and labels",),
            terms.leaks,
            self.random_state is not None,
            mask_hidden=True,
        )

    def _predict(self, X: Floats) -> Floats:
        return self.values_[self.partition_.cell(X)]
