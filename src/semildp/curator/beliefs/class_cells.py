"""Error bars of cells with classes: for each class c, those of the number 1{label = c}."""

from __future__ import annotations

import numpy as np

from semildp._arrays import Floats
from semildp.curator.beliefs.partitions import FirstLabels, bars_of_means
from semildp.curator.beliefs.people import MOST
from semildp.curator.class_totals import ClassSums
from semildp.curator.class_waves import targets_of
from semildp.curator.class_waves.reports import ClassGroup
from semildp.curator.shrinking import to_simplex
from semildp.models.bars import Bars
from semildp.models.classes import class_view
from semildp.partition import Partition
from semildp.study import Study
from semildp.wire.columns import Enrolled


def class_bars(
    study: Study,
    partition: Partition,
    enrolled: Enrolled,
    first: ClassGroup,
    then: ClassSums,
    prior: Floats,
    probabilities: Floats,
) -> tuple[tuple[Bars, ...], Floats]:
    """Return error bars for each class, and the variance of each cell's probabilities; both classes of two have one.

    Parameters
    ----------
    study, partition
        The study of classes, and its cells.
    enrolled, first
        What everybody has made public, and the first wave's reports of the class alone.
    then
        Unbiased sums of (cell, class), with their noise.
    prior, probabilities
        Shares of classes; and what is predicted, by cell and class.
    """
    step = 1 + (len(first) - 1) // MOST
    some = first.only(np.arange(len(first)) % step == 0) if step > 1 else first
    people, view = enrolled[some.people], class_view(study)
    bars, variances = [], np.empty(probabilities.shape)
    for c in targets_of(len(prior)):
        share = float(prior[c])
        spread = share * (1 - share)
        noise = some.variance(c, share) - spread
        told = FirstLabels.of(view, people, some.indicators(c), noise, spread)
        means, precision = class_means(partition, then, c, share)
        own, variances[:, c] = bars_of_means(view, partition, told, means, precision, probabilities[:, c])
        bars.append(own)
    if len(bars) == 1:
        variances[:, 0] = variances[:, 1]
    return tuple(bars), variances


def class_means(partition: Partition, then: ClassSums, target: int, share: float) -> tuple[Floats, Floats]:
    """Return the share of a class in each cell, and one over the variance of its noise; 0 where nobody seems to be.

    Reports tell the sum of 1{class} - 1 / classes over a cell. Counts of single cells are mostly noise where there are
    many, and so are variances: both are taken to be spread over bins alike in all leaves. Where the share of the class
    is not 1 / classes, an error of the count moves the share, by ((share - 1 / classes) * relative error) squared.
    """
    shape, even = (-1, partition.n_codes), 1 / then.counts.shape[1]
    counts = then.counts.sum(axis=1).reshape(shape)
    leaves, codes = (to_simplex(counts.sum(axis=axis), then.weight) for axis in (1, 0))
    people = np.outer(leaves, codes / max(then.weight, 1e-300)).ravel()
    spread = then.noise[:, target].reshape(shape)
    noise = np.outer(spread.sum(axis=1), spread.sum(axis=0)).ravel() / max(float(spread.sum()), 1e-300)
    known = (people > 0) & (noise > 0)
    n, sums = np.where(known, people, 1.0), then.counts[:, target] - even * then.counts.sum(axis=1)
    means = np.where(known, even + sums / n, 0.0)
    variance = np.where(known, noise / n**2, 1.0)
    return means, np.where(known, 1 / variance, 0.0)
