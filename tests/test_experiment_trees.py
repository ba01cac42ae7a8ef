"""A deep tree that is cut at a depth is the tree that is grown to that depth: experiments grow one for all depths."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from experiments.common import sklearn_trees
from experiments.common.pruning import pruned
from semildp.partition import SPLITTERS, Samples, grow_tree, scan_over
from semildp.sources import SeededSource
from tests.people import simulate


def test_all_depths_of_one_tree_are_the_trees_of_those_depths():
    X, y, _ = simulate(500)
    X = np.where(np.random.default_rng(0).uniform(size=X.shape) < 0.2, np.nan, X)
    deep = DecisionTreeRegressor(max_depth=8, min_samples_leaf=10, random_state=0).fit(X, y)
    for depth, cut in zip(sklearn_trees.DEPTHS, sklearn_trees.predict_by_depth(deep, X), strict=True):
        grown = DecisionTreeRegressor(max_depth=depth, min_samples_leaf=10, random_state=0).fit(X, y)
        np.testing.assert_allclose(cut, grown.predict(X), rtol=1e-12)


@pytest.mark.parametrize("splitter", SPLITTERS)
def test_a_pruned_tree_is_the_tree_of_that_depth(splitter):
    rng = np.random.default_rng(0)
    samples = Samples(rng.random((500, 4)), rng.random((500, 4)) < 0.2, rng.integers(0, 100, 500))
    deep = grow_tree(splitter, scan_over(samples), (0, 1, 3), 5, SeededSource(0))
    for depth in range(6):
        assert pruned(deep, depth) == grow_tree(splitter, scan_over(samples), (0, 1, 3), depth, SeededSource(0))
