"""The parameters that all competitors have."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

from semildp.estimators.regressor import LocallyPrivateRegressor


@dataclass(eq=False, repr=False)
class Baseline(LocallyPrivateRegressor):
    """Base of the competitors: the constructor takes these fields, then those of the subclass, by keyword.

    scikit-learn reads the parameters from the signature of the constructor, which `dataclass` writes out in full.
    Comparison and `repr` are scikit-learn's.
    """

    epsilon: float = 1.0
    _: KW_ONLY
    label_bounds: Any = None
    feature_bounds: Any = None
    private_features: Any = None
    clip: bool = False
    random_state: Any = None
