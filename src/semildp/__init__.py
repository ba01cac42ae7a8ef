"""Learn from data that its owners only partly share."""

from semildp import masks
from semildp.errors import InputError, LimitError, PrivacyLeakWarning, WideBoundsWarning
from semildp.estimators import BudgetAccountant, HistOfTreeRegressor, PrivacyAccount, SemiPrivateRegressor

__all__ = [
    "BudgetAccountant",
    "HistOfTreeRegressor",
    "InputError",
    "LimitError",
    "PrivacyAccount",
    "PrivacyLeakWarning",
    "SemiPrivateRegressor",
    "WideBoundsWarning",
    "__version__",
    "masks",
]

__version__ = "0.1.0.dev0"
