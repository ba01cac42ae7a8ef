"""The competitors the paper runs, each a real estimator with the same guarantee stated the same way."""

from semildp.estimators.baselines.label_tree import LabelTreeRegressor
from semildp.estimators.baselines.private_histogram import PrivateHistogramRegressor
from semildp.estimators.baselines.public_tree import PublicTreeRegressor
from semildp.estimators.baselines.randomized_features import RandomizedFeatureTreeRegressor

__all__ = ["LabelTreeRegressor", "PrivateHistogramRegressor", "PublicTreeRegressor", "RandomizedFeatureTreeRegressor"]
