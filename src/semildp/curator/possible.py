"""Whether a cell is one that a person could be in, without writing out the cells they could be in."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp.domains import FeatureBounds, bin_of
from semildp.partition import Partition, Tree
from semildp.wire.columns import Enrolled


def could_be(partition: Partition, enrolled: Enrolled, person: Ints, cell: Ints) -> Bools:
    """Return whether each cell is a candidate of the person beside it.

    It is if every public feature lies where the cell does: in the cell's bin, or between the ends of its leaf.
    """
    leaf = cell // partition.n_codes
    code = cell - leaf * partition.n_codes
    everyone = len(person) == len(enrolled) and bool((person == np.arange(len(person))).all())

    once = len(enrolled) > 0 and enrolled.mask.strides[0] == 0  # a mask that all have in common

    def column(feature: int) -> tuple[Floats, Bools | np.bool_] | None:
        """Return a scaled feature and who hides it; None if all do."""
        hidden = enrolled.mask[:, feature]
        if hidden[:1].all() if once else hidden.all():
            return None
        if once and everyone:
            return _scaled(partition.bounds, feature, enrolled.public[:, feature]), np.False_
        unit = _scaled(partition.bounds, feature, enrolled.public[:, feature])
        return (unit, hidden) if everyone else (unit[person], hidden[person])

    found = np.ones(len(cell), dtype=np.bool_)
    for feature, bins in zip(reversed(partition.histogram_features), reversed(partition.bins), strict=True):
        rest = code // bins
        digit, code = code - rest * bins, rest  # the last feature is the fastest digit
        if bins > 1 and (known := column(feature)) is not None:
            unit, hidden = known
            found &= hidden | (bin_of(np.where(hidden, 0.0, unit), bins) == digit)
    for feature, low, high in leaf_ends(partition.tree):
        if (known := column(feature)) is not None:
            unit, hidden = known
            found &= hidden | ((unit >= low[leaf]) & (unit < high[leaf]))
    return found


def _scaled(bounds: FeatureBounds, feature: int, values: Floats) -> Floats:
    """Map one feature to [0, 1] as `FeatureBounds.scale` does."""
    low, high = bounds.low[feature], bounds.high[feature]
    return np.asarray((np.clip(values, low, high) - low) / (high - low))


@lru_cache(maxsize=16)
def leaf_ends(tree: Tree) -> tuple[tuple[int, Floats, Floats], ...]:
    """Return, for each feature that the tree splits, the ends of every leaf: x is in it if low <= x < high."""
    used = sorted({feature for feature in tree.feature if feature >= 0})
    low = {feature: np.full(len(tree.feature), -np.inf) for feature in used}
    high = {feature: np.full(len(tree.feature), np.inf) for feature in used}
    for node, (split, threshold, child) in enumerate(zip(tree.feature, tree.threshold, tree.child, strict=True)):
        if split >= 0:  # children come after their parent
            for feature in used:
                low[feature][child : child + 2] = low[feature][node]
                high[feature][child : child + 2] = high[feature][node]
            high[split][child] = min(high[split][child], threshold)
            low[split][child + 1] = max(low[split][child + 1], threshold)
    nodes = np.flatnonzero(tree.leaf >= 0)
    nodes = nodes[np.argsort(tree.leaf[nodes])]
    return tuple((feature, low[feature][nodes], high[feature][nodes]) for feature in used)
