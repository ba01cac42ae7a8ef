"""An ordinary scikit-learn tree on what people sent."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from semildp._arrays import Floats
from semildp._checks import whole_number
from semildp.models.tree import TreeArrays, TreeBody, view
from semildp.sources import Source


def fit_tree(
    sent: Floats, labels: Floats, columns: tuple[int, ...], source: Source, max_depth: Any, min_samples_leaf: Any
) -> TreeBody:
    """Fit a tree on some columns of what was sent; none at all gives the mean."""
    from sklearn.tree import DecisionTreeRegressor  # here: most who import this package grow no such tree

    seed = int(source.words(1)[0] % np.uint64(2**31))
    tree = DecisionTreeRegressor(
        max_depth=_plain("max_depth", max_depth),
        min_samples_leaf=_plain("min_samples_leaf", min_samples_leaf),
        random_state=seed,
    )
    return TreeBody(columns, TreeArrays.of(tree.fit(view(sent, columns), labels)))


def _plain(name: str, value: Any) -> Any:
    """Return a whole number as a plain int that scikit-learn can count with; it checks everything else itself."""
    return whole_number(name, value, 1, 2**31 - 1) if isinstance(value, numbers.Integral) else value
