"""Error bars of the paper's method, from its totals alone: means of leaves, and how cells differ from their leaf."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from semildp._arrays import Floats
from semildp.backends import fold
from semildp.curator.beliefs.believing import believe
from semildp.curator.beliefs.cells import Boxes, box_axes, cell_rows, cell_variances
from semildp.curator.beliefs.evidence import PairSums, Told, cell_pairs, gram
from semildp.curator.beliefs.partitions import outside
from semildp.curator.estimate import unbiased
from semildp.curator.pair_plan import guessed_variance
from semildp.curator.shrinking import to_simplex
from semildp.curator.totals import Totals
from semildp.domains import LabelGrid
from semildp.mechanisms import DiscreteLaplace, IndicatorWeights, WindowResponse
from semildp.models.bars import Bars
from semildp.partition import Partition
from semildp.study import Study


def paper_bars(
    study: Study,
    partition: Partition,
    totals: Totals,
    weights: IndicatorWeights,
    grid: LabelGrid,
    label: DiscreteLaplace | WindowResponse,
    values: Floats,
) -> tuple[Bars, Floats]:
    """Return error bars, and the variance of each cell's own prediction; `values` are the predictions.

    Reports of a person's cell add up to 1 over its candidates. So the sum of labels in a leaf has no noise of cells
    where people show what the tree asks for, and it is told apart from how cells differ from their leaf.
    """
    mean = totals.label_sum / totals.n_people
    zero, one, offset = grid.decode(label.estimate(np.array([0.0, 1.0, mean]))).tolist()
    shape, n = (-1, partition.n_codes), float(totals.n_people)
    counts = unbiased(totals.people, weights).reshape(shape)
    sums = (one - zero) * (unbiased(totals.labels, weights).reshape(shape) - mean * counts)
    noise = _noise(totals, weights).reshape(shape)
    variance = guessed_variance(grid)
    each = variance + float(label.variance(np.array([grid.steps // 2]))[0]) * grid.step**2  # of one noisy label
    leaves, codes = to_simplex(counts.sum(axis=1), n), to_simplex(counts.sum(axis=0), n) / n
    axes = box_axes(study)
    boxes = Boxes.of(partition, axes)

    def told() -> Iterator[Told]:
        unsure = noise.sum(axis=1) * _open(totals, partition)
        whole = sums.sum(axis=1)
        yield Told(boxes.of_leaves(), _ratio(whole, leaves), leaves**2 / (each * (leaves + unsure + 1)))
        if partition.n_codes > 1:
            people, beyond = np.outer(leaves, codes), sums - np.outer(whole, codes)
            precision = people**2 / (each * (people + noise + 1))
            yield from cell_rows(boxes, _ratio(beyond, people).ravel(), precision.ravel(), differences=True)

    def pairs(mean: Floats) -> PairSums:
        return fold(lambda some: cell_pairs(some, mean), told())

    belief = believe(axes, fold(gram, told()), pairs, offset, variance, outside(study))
    return Bars(belief), cell_variances(belief, boxes, values)


def _noise(totals: Totals, weights: IndicatorWeights) -> Floats:
    """Return the noise variance of each cell's count."""
    return np.asarray(weights.noise * totals.people.candidates + weights.sized_noise * totals.sized_candidates)


def _open(totals: Totals, partition: Partition) -> Floats:
    """Return, per leaf, which part of its cells' noise does not cancel: that of people who could be in other leaves.

    People with k candidates in all, of which n_codes are in a leaf, leave 1 - n_codes / k of it.
    """
    shape = (-1, partition.n_codes)
    people = totals.people.candidates.reshape(shape).sum(axis=1)
    sizes = totals.sized_candidates.reshape(shape).sum(axis=1) / np.maximum(people, 1)
    return np.asarray(np.maximum(1 - partition.n_codes / np.maximum(sizes, 1.0), 0.0))


def _ratio(sums: Floats, people: Floats) -> Floats:
    return np.asarray(np.divide(sums, people, out=np.zeros(sums.shape), where=people > 0))
