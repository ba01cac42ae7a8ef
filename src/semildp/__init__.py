"""Learn from data that its owners only partly share."""

from __future__ import annotations

from importlib import import_module
from typing import Any

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
    "plan": "semildp.planning",
}

__all__ = [*_HOMES, "__version__", "masks"]


def __getattr__(name: str) -> Any:
    """Load a public name from its home."""
    if name == "masks":
        return import_module("semildp.masks")
    if name not in _HOMES:
        raise AttributeError(f"module 'semildp' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
