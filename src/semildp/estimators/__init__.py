"""scikit-learn faces: they conduct client and curator in one process."""

from semildp.estimators.account import PrivacyAccount
from semildp.estimators.hist_of_tree import HistOfTreeRegressor

__all__ = ["HistOfTreeRegressor", "PrivacyAccount"]
