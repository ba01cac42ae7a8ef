"""From label reports to the published partition."""

from __future__ import annotations

from semildp.masks import ranked_features
from semildp.partition import Partition, Samples, Shape, grow_tree
from semildp.sources import Source
from semildp.wire import LabelReports, Study


def grow_partition(study: Study, reports: LabelReports, shape: Shape, splitter: str, source: Source) -> Partition:
    """Give the most protected features a histogram and grow a tree on the others from the noisy labels."""
    order = [int(f) for f in ranked_features(reports.mask)]
    histogram, rest = order[: shape.n_histogram_features], sorted(order[shape.n_histogram_features :])
    samples = Samples(study.feature_bounds.scale(reports.public), reports.mask, reports.labels)
    tree = grow_tree(splitter, samples, tuple(rest), shape.depth, source)
    return Partition(study.feature_bounds, tuple(histogram), shape.bins, tree)
