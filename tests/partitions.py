"""Any partition, and people and masks for it, drawn by hypothesis."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from semildp.domains import FeatureBounds
from semildp.partition import Partition, Tree
from semildp.partition.tree import TreeBuilder

EXAMPLE = Partition(
    FeatureBounds((0.0, -1.0, 0.0), (1.0, 1.0, 10.0)),
    (1,),
    3,
    Tree((2, -1, 0, -1, -1), (0.5, 0.0, 0.25, 0.0, 0.0), (1, 0, 3, 0, 0)),
)
Crowd = tuple[Partition, NDArray[np.float64], NDArray[np.bool_]]


@st.composite
def partitions(draw: st.DrawFn) -> Partition:
    """Any histogram, and any tree on the other features: splits are put on leaves drawn one after the other."""
    d = draw(st.integers(1, 4))
    histogram = draw(st.permutations(range(d)))[: draw(st.integers(0, d))]
    rest = sorted(set(range(d)) - set(histogram))
    builder, boxes = TreeBuilder(), {0: dict.fromkeys(rest, (0.0, 1.0))}
    for _ in range(draw(st.integers(0, 6)) if rest else 0):
        leaf, feature = draw(st.sampled_from(sorted(boxes))), draw(st.sampled_from(rest))
        box = boxes.pop(leaf)
        low, high = box[feature]
        threshold = draw(st.floats(low, high, exclude_min=True))
        left = builder.split(leaf, feature, threshold)
        boxes[left] = {**box, feature: (low, threshold)}
        if threshold == high:  # the right side is one point: no further split there
            continue
        boxes[left + 1] = {**box, feature: (threshold, high)}
    ends = [sorted(draw(st.tuples(st.floats(-1e6, 0.0), st.floats(1e-3, 1e6)))) for _ in range(d)]
    bounds = FeatureBounds(tuple(low for low, _ in ends), tuple(high for _, high in ends))
    bins = tuple(draw(st.integers(1, 4)) for _ in histogram)
    return Partition(bounds, tuple(histogram), bins, builder.build())


@st.composite
def crowds(draw: st.DrawFn) -> Crowd:
    """A partition, people and their masks."""
    partition = draw(partitions())
    d, n = partition.bounds.n_features, draw(st.integers(0, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    low, high = np.array(partition.bounds.low), np.array(partition.bounds.high)
    unit = rng.choice([0.0, 0.25, 1 / 3, 0.5, 2 / 3, 1.0, rng.random()], (n, d))
    return partition, low + unit * (high - low), rng.random((n, d)) < draw(st.sampled_from([0.5, 0.0, 0.2, 1.0]))
