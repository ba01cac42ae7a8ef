"""scikit-learn faces: they conduct client and curator in one process."""

from semildp.estimators.account import PrivacyAccount
from semildp.estimators.accountant import BudgetAccountant
from semildp.estimators.hist_of_tree import HistOfTreeRegressor
from semildp.estimators.learners import NoisyLabelAverage
from semildp.estimators.semi_private import SemiPrivateRegressor

__all__ = ["BudgetAccountant", "HistOfTreeRegressor", "NoisyLabelAverage", "PrivacyAccount", "SemiPrivateRegressor"]
