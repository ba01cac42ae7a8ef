"""ParDT: a tree on what is public, with noisy labels."""

from __future__ import annotations

from dataclasses import dataclass

from semildp.estimators.baselines.base import Baseline


@dataclass(eq=False, repr=False, kw_only=True)
class PublicTreeRegressor(Baseline):
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
    model_
        The fitted tree, as plain numbers.
    privacy_
        What was spent, by whom, under which definition.
    """

    max_depth: int | None = 4
    min_samples_leaf: int = 10

    def _method(self) -> tuple[str, tuple[str, ...]]:
        return "public-tree", ("max_depth", "min_samples_leaf")
