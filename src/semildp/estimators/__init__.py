"""scikit-learn faces: they parse what is passed, simulate the study, and predict from its model."""

from semildp.curator.learning import NoisyLabelAverage
from semildp.estimators.account import PrivacyAccount
from semildp.estimators.accountant import BudgetAccountant
from semildp.estimators.effects_display import EffectsDisplay
from semildp.estimators.hist_of_tree import HistOfTreeRegressor
from semildp.estimators.semi_private import SemiPrivateRegressor

__all__ = [
    "BudgetAccountant",
    "EffectsDisplay",
    "HistOfTreeRegressor",
    "NoisyLabelAverage",
    "PrivacyAccount",
    "SemiPrivateRegressor",
]
