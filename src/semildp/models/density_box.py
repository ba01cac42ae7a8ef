"""How much of every cell lies in a box."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from semildp._arrays import Floats
from semildp.domains import bin_of
from semildp.partition import Partition
from semildp.partition.volumes import leaf_boxes, over_codes
from semildp.study import Category, Study

Side = tuple[float, float] | Collection[int] | None  # ends of a number, codes of a category, or all of it


def leaf_parts(partition: Partition, study: Study, box: Sequence[Side]) -> Floats:
    """Return which share of every leaf's volume lies in the box, on the features that are not in the histogram."""
    low, high = leaf_boxes(partition.tree, len(box))
    parts = np.ones(len(low))
    for j, side in enumerate(box):
        if side is not None and j not in partition.histogram_features:
            parts = parts * _parts(study, j, side, low[:, j], high[:, j])
    return parts


def code_parts(partition: Partition, study: Study, box: Sequence[Side]) -> Floats:
    """Return which share of every histogram cell lies in the box."""
    every = []
    for j, bins in zip(partition.histogram_features, partition.bins, strict=True):
        side, ends = box[j], np.arange(bins + 1) / bins
        every.append(np.ones(bins) if side is None else _parts(study, j, side, ends[:-1], ends[1:], bins))
    return over_codes(every)


def _parts(study: Study, j: int, side: Side, low: Floats, high: Floats, bins: int | None = None) -> Floats:
    """Return which share of each interval [low, high) of a scaled feature lies in one side of a box.

    Of a category, values are counted; `bins` says that intervals are bins, 0 where one has no value.
    """
    domain = study.features[j].domain
    if isinstance(domain, Category):
        chosen = np.isin(np.arange(len(domain.values)), list(side or ()))
        at = (np.arange(len(chosen)) + 0.5) / len(chosen)
        held = (at >= low[:, None]) & (at < high[:, None])
        if bins is not None:
            held = bin_of(at, np.array(bins)) == np.arange(bins)[:, None]
        return np.asarray((held & chosen).sum(axis=1) / np.maximum(held.sum(axis=1), 1))
    first, last = side or ()
    ends = (np.array([first, last], dtype=np.float64) - domain.low) / (domain.high - domain.low)
    inside = np.minimum(high, ends[1]) - np.maximum(low, ends[0])
    return np.asarray(np.clip(inside / (high - low), 0.0, 1.0))
