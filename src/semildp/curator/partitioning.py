"""From label reports to the published partition, by scans."""

from __future__ import annotations

from semildp._arrays import Ints
from semildp.backends import CHUNK, chunks
from semildp.masks import ranked_features
from semildp.partition import Partition, Samples, Shape, grow_tree, scan_over
from semildp.sources import Source
from semildp.study import Study
from semildp.wire.columns import Enrolled


def grow_partition(
    study: Study, enrolled: Enrolled, labels: Ints, shape: Shape, splitter: str, source: Source
) -> Partition:
    """Give the most protected features a histogram and grow a tree on the others from the noisy labels.

    A category in the histogram has a bin for each of its values, a number `shape.bins` equal ones.
    """
    order = [int(f) for f in ranked_features(enrolled.mask)]
    histogram, rest = order[: shape.n_histogram_features], sorted(order[shape.n_histogram_features :])
    bounds = study.bounds
    batches = [
        Samples(bounds.scale(enrolled.public[c]), enrolled.mask[c], labels[c], c.start)
        for c in chunks(len(enrolled), CHUNK)
    ]
    tree = grow_tree(splitter, scan_over(*batches), tuple(rest), shape.depth, source)
    bins = tuple(study.n_values[feature] or shape.bins for feature in histogram)
    return Partition(bounds, tuple(histogram), bins, tree)
