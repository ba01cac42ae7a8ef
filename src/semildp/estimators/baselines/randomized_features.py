"""KRR: randomise each private feature on its own, then fit an ordinary tree."""

from __future__ import annotations

from dataclasses import dataclass

from semildp.estimators.baselines.base import Baseline


@dataclass(eq=False, repr=False, kw_only=True)
class RandomizedFeatureTreeRegressor(Baseline):
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
    model_
        The fitted tree, as plain numbers.
    privacy_
        What was spent, by whom, under which definition.
    """

    bins: int = 3
    max_depth: int | None = 4
    min_samples_leaf: int = 10

    def _method(self) -> tuple[str, tuple[str, ...]]:
        return "randomized-features", ("bins", "max_depth", "min_samples_leaf")
