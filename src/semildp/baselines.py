"""The paper's competitors, by their public names; they live with the other estimators."""

from semildp.estimators.baselines import (
    LabelTreeRegressor,
    PrivateHistogramRegressor,
    PublicTreeRegressor,
    RandomizedFeatureTreeRegressor,
)

__all__ = ["LabelTreeRegressor", "PrivateHistogramRegressor", "PublicTreeRegressor", "RandomizedFeatureTreeRegressor"]
