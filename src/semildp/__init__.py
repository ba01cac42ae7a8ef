"""Learn from data that its owners only partly share."""

from __future__ import annotations

from semildp._lazy import from_homes

__version__ = "0.1.0.dev0"

# Loaded when first used: a device imports numpy and the codec, and nothing heavier.
_HOMES = {
    "BudgetAccountant": "semildp.estimators.accountant",
    "CalibrationDisplay": "semildp.displays",
    "EffectsDisplay": "semildp.estimators.effects_display",
    "EpsilonSearchWarning": "semildp.errors",
    "HistOfTreeClassifier": "semildp.estimators.hist_of_tree_classifier",
    "HistOfTreeDensity": "semildp.estimators.hist_of_tree_density",
    "HistOfTreeRegressor": "semildp.estimators.hist_of_tree",
    "ImportanceDisplay": "semildp.displays",
    "InputError": "semildp.errors",
    "LimitError": "semildp.errors",
    "MasksDisplay": "semildp.displays",
    "PartitionDisplay": "semildp.displays",
    "PrivacyAccount": "semildp.estimators.account",
    "PrivacyLeakWarning": "semildp.errors",
    "SemiPrivateClassifier": "semildp.estimators.semi_private_classifier",
    "SemiPrivateRegressor": "semildp.estimators.semi_private",
    "Study": "semildp.study",
    "TradeOffDisplay": "semildp.displays",
    "WideBoundsWarning": "semildp.errors",
    "masks": "semildp.masks",
    "plan": "semildp.planning",
}

__all__ = [*_HOMES, "__version__"]

__getattr__ = from_homes(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
