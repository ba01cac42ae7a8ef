"""Whether a cell is one that a person could be in, without writing out the cells they could be in."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp.domains import FeatureBounds, bin_of
from semildp.partition import Partition, Tree
from semildp.partition.tree import LEAF, leaf_ends
from semildp.wire.columns import Enrolled


def could_be(partition: Partition, enrolled: Enrolled, person: Ints, cell: Ints) -> Bools:
    """Return whether each cell is a candidate of the person beside it.

    It is if every public feature lies where the cell does: in the cell's bin, or between the ends of its leaf.
    """
    if (loops := partition.loops(len(cell))) is not None:
        return loops.possible(enrolled.public, enrolled.mask, person, cell)
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
    for feature, low, high in _ends(partition.tree, partition.bounds.n_features):
        if (known := column(feature)) is not None:
            unit, hidden = known
            found &= hidden | ((unit >= low[leaf]) & (unit < high[leaf]))
    return found


def _scaled(bounds: FeatureBounds, feature: int, values: Floats) -> Floats:
    """Map one feature to [0, 1] as `FeatureBounds.scale` does."""
    low, high = bounds.low[feature], bounds.high[feature]
    return np.asarray((np.clip(values, low, high) - low) / (high - low))


@lru_cache(maxsize=16)
def _ends(tree: Tree, n_features: int) -> tuple[tuple[int, Floats, Floats], ...]:
    """Return, for each feature that the tree splits, the ends of every leaf."""
    low, high = leaf_ends(tree, n_features)
    return tuple((f, low[:, f].copy(), high[:, f].copy()) for f in sorted(set(tree.feature) - {LEAF}))
