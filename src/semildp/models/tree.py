"""An ordinary regression tree as plain arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct

from semildp._arrays import Floats
from semildp.study import Study

LARGEST = 3e38  # scikit-learn's trees look at features in float32


class TreeArrays(Struct, frozen=True, forbid_unknown_fields=True):
    """A tree: x goes left iff x[feature] <= threshold, in 32-bit floats as scikit-learn compares.

    Parameters
    ----------
    feature, threshold, left, right
        Per node; `left` is -1 at a leaf.
    missing_left
        Per node, whether a missing value goes left.
    value
        Per node, the mean of its noisy labels.
    """

    feature: tuple[int, ...]
    threshold: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    missing_left: tuple[bool, ...]
    value: tuple[float, ...]

    @classmethod
    def of(cls, tree: Any) -> TreeArrays:
        """Copy the arrays of a fitted scikit-learn tree.

        A split of present against missing values has an infinite threshold there, which JSON cannot hold. The largest
        32-bit float divides the same values.
        """
        t = tree.tree_
        return cls(
            tuple(t.feature.tolist()),
            tuple(np.minimum(t.threshold, np.finfo(np.float32).max).tolist()),
            tuple(t.children_left.tolist()),
            tuple(t.children_right.tolist()),
            tuple(bool(m) for m in t.missing_go_to_left),
            tuple(t.value[:, 0, 0].tolist()),
        )

    def predict(self, seen: Floats) -> Floats:
        """Return the value of the leaf each row falls in."""
        left, right = np.asarray(self.left), np.asarray(self.right)
        feature, threshold = np.asarray(self.feature), np.asarray(self.threshold)
        missing_left = np.asarray(self.missing_left)
        narrow = np.clip(seen, -LARGEST, LARGEST).astype(np.float32)
        node, rows = np.zeros(len(seen), dtype=np.int64), np.arange(len(seen))
        while (inner := left[node] >= 0).any():
            x = narrow[rows, np.where(inner, feature[node], 0)]
            go_left = np.where(np.isnan(x), missing_left[node], x <= threshold[node])
            node = np.where(inner, np.where(go_left, left[node], right[node]), node)
        return np.asarray(self.value)[node]


class TreeBody(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="tree"):
    """A model that is one tree on some columns."""

    columns: tuple[int, ...]
    tree: TreeArrays

    def predict(self, study: Study, X: Floats) -> tuple[Floats, Floats]:
        """Return the leaf's value, within the label bounds; variances are not estimated."""
        return self.mean(study, X), np.full(len(X), np.nan)

    def around(self, study: Study, X: Floats, coverage: float) -> tuple[Floats, Floats]:
        """Return the leaf's value; how far off it may be is not estimated."""
        return self.predict(study, X)

    def mean(self, study: Study, X: Floats) -> Floats:
        """Return the leaf's value, within the label bounds."""
        return np.asarray(np.clip(self.tree.predict(view(X, self.columns)), *study.label_bounds))


def view(X: Floats, columns: tuple[int, ...]) -> Floats:
    """Return the columns a tree looks at; one constant column if there are none."""
    seen = X[:, list(columns)] if columns else np.zeros((len(X), 1))
    return np.asarray(np.clip(seen, -LARGEST, LARGEST))
