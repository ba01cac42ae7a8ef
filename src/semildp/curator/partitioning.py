"""From label reports to the published partition, by scans."""

from __future__ import annotations

from functools import partial

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.backends import CHUNK, chunks
from semildp.masks import most_hidden_first, times_hidden
from semildp.partition import Partition, SamplesOnDemand, Shape, grow_tree, scan_over
from semildp.partition.samples import Scan
from semildp.sources import Source
from semildp.study import Study
from semildp.wire.columns import Enrolled
from semildp.wire.costs import count_candidates

MANY = 1 << 18  # people whose codes are kept together, so that the loops over them are long


def public_rows(enrolled: Enrolled, batch: slice, part: slice) -> Floats:
    """Return the public features of some people of a batch."""
    return enrolled[slice(batch.start + part.start, batch.start + part.stop)].public


def candidate_sizes(partition: Partition, enrolled: Enrolled) -> list[int]:
    """Return the numbers of candidate cells that people have, rising."""
    counted = np.zeros(partition.n_cells + 1, dtype=np.bool_)
    for c in chunks(len(enrolled)):
        counted[count_candidates(partition, enrolled[c])] = True
    return [int(size) for size in np.flatnonzero(counted)]


def grow_partition(
    study: Study, enrolled: Enrolled, labels: Ints, shape: Shape, splitter: str, source: Source
) -> Partition:
    """Grow the partition of people in memory: see `grow_by_scans`."""
    batches = [
        SamplesOnDemand(partial(public_rows, enrolled, c), study.bounds, enrolled.mask[c], labels[c], c.start)
        for c in chunks(len(enrolled), max(CHUNK, MANY))
    ]
    return grow_by_scans(study, times_hidden(enrolled.mask), scan_over(*batches), shape, splitter, source)


def grow_by_scans(study: Study, times: Ints, scan: Scan, shape: Shape, splitter: str, source: Source) -> Partition:
    """Give the most protected features a histogram and grow a tree on the others from the noisy labels.

    A category in the histogram has a bin for each of its values, a number `shape.bins` equal ones. `times` is how many
    people hide each feature.
    """
    order = most_hidden_first(times).tolist()
    histogram, rest = order[: shape.n_histogram_features], sorted(order[shape.n_histogram_features :])
    tree = grow_tree(splitter, scan, tuple(rest), shape.depth, source)
    bins = tuple(study.n_values[feature] or shape.bins for feature in histogram)
    return Partition(study.bounds, tuple(histogram), bins, tree)
