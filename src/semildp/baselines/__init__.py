"""The competitors the paper runs, each a real estimator with the same guarantee stated the same way."""

from semildp.baselines.label_tree import LabelTreeRegressor
from semildp.baselines.private_histogram import PrivateHistogramRegressor
from semildp.baselines.public_tree import PublicTreeRegressor
from semildp.baselines.randomized_features import RandomizedFeatureTreeRegressor

__all__ = ["LabelTreeRegressor", "PrivateHistogramRegressor", "PublicTreeRegressor", "RandomizedFeatureTreeRegressor"]
