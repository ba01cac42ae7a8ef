"""What is asked of everyone: public, fixed before the first answer."""

from __future__ import annotations

from dataclasses import dataclass

from semildp.budgets import Budget
from semildp.domains import FeatureBounds, LabelGrid


@dataclass(frozen=True)
class Study:
    """The terms under which people answer.

    Parameters
    ----------
    feature_bounds, label_grid
        Public domains of features and label.
    budget
        What each person spends, and how the two rounds share it.
    label_mechanism, cell_mechanism
        Names of the mechanisms of the two rounds.
    hide_mask
        If True, people answer as though every feature were private: no public feature is sent, every cell is a
        candidate, and what leaves the device says nothing of which features a person wanted to hide.
    """

    feature_bounds: FeatureBounds
    label_grid: LabelGrid
    budget: Budget
    label_mechanism: str = "laplace"
    cell_mechanism: str = "grr"
    hide_mask: bool = False


@dataclass(frozen=True)
class PairQuestion:
    """What is asked: public, fixed before the first answer.

    Parameters
    ----------
    bounds
        Public bounds of the features.
    features
        The features asked about; a person answers about one of those they hide.
    bins
        Equal bins per feature.
    residuals
        The range and the levels of residuals; one outside counts as on the end.
    epsilon
        What a person spends on the answer, bin and residual jointly.
    """

    bounds: FeatureBounds
    features: tuple[int, ...]
    bins: int
    residuals: LabelGrid
    epsilon: float
