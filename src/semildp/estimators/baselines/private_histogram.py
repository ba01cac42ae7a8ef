"""Hist: everything private, a cubic histogram with Laplace noise on mass and label sum of each cell."""

from __future__ import annotations

from dataclasses import dataclass

from semildp.estimators.baselines.base import Baseline


@dataclass(eq=False, repr=False, kw_only=True)
class PrivateHistogramRegressor(Baseline):
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
    model_
        Prediction per cell of the histogram.
    privacy_
        What was spent, by whom, under which definition.

    References
    ----------
    Berrett, Györfi and Walk (2021), "Strongly universally consistent nonparametric regression and classification with
    privatised data".
    """

    hide_mask = True  # nothing public is sent

    bins: int = 2
    threshold: float = 0.01

    def _method(self) -> tuple[str, tuple[str, ...]]:
        return "private-histogram", ("bins", "threshold")
