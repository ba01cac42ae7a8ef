"""What is asked of everyone: public, fixed before the first answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semildp._checks import as_array, instance_of, one_of, positive_number, short, true_or_false, whole_number
from semildp.budgets import Budget
from semildp.domains import FeatureBounds, LabelGrid
from semildp.errors import refusal
from semildp.mechanisms import CELL_MECHANISMS, LABEL_MECHANISMS, PairCode, best_code
from semildp.partition import Partition

LEAST_EPSILON = 1e-6  # below, sums over joint reports would not fit in 64 bits


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

    def __post_init__(self) -> None:
        instance_of("feature_bounds", self.feature_bounds, FeatureBounds)
        instance_of("label_grid", self.label_grid, LabelGrid)
        instance_of("budget", self.budget, Budget)
        one_of("label_mechanism", self.label_mechanism, tuple(LABEL_MECHANISMS))
        one_of("cell_mechanism", self.cell_mechanism, (*CELL_MECHANISMS, "joint"))
        true_or_false("hide_mask", self.hide_mask)


@dataclass(frozen=True)
class PairQuestion:
    """What the second round asks: public, fixed before its first answer.

    Parameters
    ----------
    bounds
        Public bounds of the features.
    features
        The features asked about; a person answers about one of those they hide.
    code
        How a feature's bin and a residual's level are sent together.
    reach
        Residuals lie in [-reach, reach]; one outside counts as on the end.
    """

    bounds: FeatureBounds
    features: tuple[int, ...]
    code: PairCode
    reach: float

    def __post_init__(self) -> None:
        instance_of("bounds", self.bounds, FeatureBounds)
        instance_of("code", self.code, PairCode)
        instance_of("features", self.features, tuple)
        for feature in self.features:
            whole_number("features", feature, 0, self.bounds.n_features - 1)
        if not self.features or len(set(self.features)) != len(self.features):
            raise refusal("features", "one or more features, each once", repr(self.features))
        positive_number("reach", self.reach)

    @property
    def residuals(self) -> LabelGrid:
        """The grid of the residual's levels."""
        return LabelGrid(-self.reach, self.reach, self.code.levels - 1)


@dataclass(frozen=True, eq=False)
class JointQuestion:
    """What the second round asks where cell and label go together: public, fixed before its first answer.

    Parameters
    ----------
    partition
        The cells.
    centres
        What the first round predicts in each leaf; people send how far their label lies from it.
    reach
        Residuals lie in [-reach, reach]; one outside counts as on the end.
    spread
        Guess of the residuals' mean square in units of the squared reach, by which mechanisms are chosen.
    epsilon
        What a person spends on the answer, cell and residual jointly.
    """

    partition: Partition
    centres: NDArray[np.float64]
    reach: float
    spread: float
    epsilon: float

    def __post_init__(self) -> None:
        instance_of("partition", self.partition, Partition)
        centres = as_array("centres", self.centres, "f", 1, "an array of floats, one per leaf")
        if len(centres) != self.partition.tree.n_leaves or not np.isfinite(centres).all():
            raise refusal("centres", f"{self.partition.tree.n_leaves} finite numbers, one per leaf", short(centres))
        positive_number("reach", self.reach)
        best_code(self.epsilon, 1, self.spread)
        if self.epsilon < LEAST_EPSILON:
            raise refusal(
                "epsilon", f"at least {LEAST_EPSILON:g} in joint reports of cell and label", repr(self.epsilon)
            )

    def code(self, n_candidates: int) -> PairCode:
        """How a person with this many candidate cells answers."""
        return best_code(self.epsilon, n_candidates, self.spread)
