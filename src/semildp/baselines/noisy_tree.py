"""What the tree baselines share: an ordinary scikit-learn tree on noisy labels."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeRegressor

from semildp._checks import whole_number
from semildp.domains import LabelGrid
from semildp.estimators.base import LocallyPrivateRegressor
from semildp.sources import Source

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LARGEST = 3e38  # scikit-learn's trees look at features in float32


class NoisyTreeRegressor(LocallyPrivateRegressor):
    """Base of the baselines that fit an ordinary decision tree to what people sent."""

    max_depth: int | None
    min_samples_leaf: int

    def _grow(self, sent: Floats, labels: Ints, grid: LabelGrid, source: Source, columns: NDArray[np.intp]) -> None:
        """Fit a tree on some columns of what was sent; none at all gives the mean."""
        self._grid, self._columns = grid, columns
        seed = int(source.words(1)[0] % np.uint64(2**31))
        limits = {name: _plain(name, getattr(self, name)) for name in ("max_depth", "min_samples_leaf")}
        tree = DecisionTreeRegressor(**limits, random_state=seed)
        self.tree_: Any = tree.fit(self._view(sent), grid.decode(labels))

    def _predict(self, X: Floats) -> Floats:
        predicted: Floats = self.tree_.predict(self._view(X))
        return np.clip(predicted, self._grid.low, self._grid.high)

    def _view(self, X: Floats) -> Floats:
        seen = X[:, self._columns] if len(self._columns) else np.zeros((len(X), 1))
        return np.clip(seen, -_LARGEST, _LARGEST)


def _plain(name: str, value: Any) -> Any:
    """Return a whole number as a plain int that scikit-learn can count with; it checks everything else itself."""
    return whole_number(name, value, 1, 2**31 - 1) if isinstance(value, numbers.Integral) else value
