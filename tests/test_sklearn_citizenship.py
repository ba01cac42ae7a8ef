"""The estimators behave as scikit-learn expects of its own."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from semildp import HistOfTreeRegressor
from semildp.baselines import (
    LabelTreeRegressor,
    PrivateHistogramRegressor,
    PublicTreeRegressor,
    RandomizedFeatureTreeRegressor,
)

ESTIMATORS = [
    HistOfTreeRegressor(),
    HistOfTreeRegressor(cell_mechanism="rr", splitter="cart"),
    HistOfTreeRegressor(splitter="random", hide_mask=True),
    PrivateHistogramRegressor(),
    RandomizedFeatureTreeRegressor(),
    PublicTreeRegressor(),
    LabelTreeRegressor(),
]


@pytest.mark.filterwarnings("ignore::semildp.PrivacyLeakWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
