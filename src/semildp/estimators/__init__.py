"""scikit-learn faces: they parse what is passed, simulate the study, and predict from its model."""

from __future__ import annotations

from semildp._lazy import from_homes

# Loaded when first used: one estimator does not load what another needs.
_HOMES = {
    "BudgetAccountant": "semildp.estimators.accountant",
    "EffectsDisplay": "semildp.estimators.effects_display",
    "HistOfTreeClassifier": "semildp.estimators.hist_of_tree_classifier",
    "HistOfTreeDensity": "semildp.estimators.hist_of_tree_density",
    "HistOfTreeRegressor": "semildp.estimators.hist_of_tree",
    "NoisyLabelAverage": "semildp.curator.learning",
    "PrivacyAccount": "semildp.estimators.account",
    "SemiPrivateClassifier": "semildp.estimators.semi_private_classifier",
    "SemiPrivateRegressor": "semildp.estimators.semi_private",
}

__all__ = [*_HOMES]

__getattr__ = from_homes(__name__, _HOMES)
