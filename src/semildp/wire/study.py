"""What is asked of everyone: public, fixed before the first answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semildp.budgets import Budget
from semildp.domains import FeatureBounds, LabelGrid
from semildp.mechanisms import PairCode, best_code
from semildp.partition import Partition


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

    def code(self, n_candidates: int) -> PairCode:
        """How a person with this many candidate cells answers."""
        return best_code(self.epsilon, n_candidates, self.spread)
