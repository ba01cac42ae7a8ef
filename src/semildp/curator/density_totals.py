"""Totals of the cell reports of a density: whole numbers, so that any order and any batches give the same bits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp._kernels.sums import checked_sum, exact_total
from semildp.curator.totals import Tally, tally_cells
from semildp.curator.waves import Batch
from semildp.masks import distinct_rows
from semildp.mechanisms import CELL_MECHANISMS
from semildp.partition import Partition, Tree
from semildp.partition.tree import LEAF
from semildp.wire.costs import count_candidates

UNIT = 1 << 10  # weight of a person whose report has no noise; others have less, rounded to whole numbers


@dataclass(frozen=True, eq=False)
class DensityTotals:
    """Sums over reports; two totals of the same question merge with `+`.

    Parameters
    ----------
    n_people, weight, squared_weight, unsure_weight
        How many people, the sums of their weights and squared weights, and the latter of those with several candidates.
    marks
        Per cell, the weights of people added up as `Tally` says.
    noise, sized_noise
        Per cell, squared weights of everyone for whom it is a candidate among others, added up; and the same with each
        squared weight times the person's number of candidates.
    reached
        Per node of the tree, how many people are there for all to see: they show every feature that is split above it.
    """

    n_people: int
    weight: int
    squared_weight: int
    unsure_weight: int
    marks: Tally
    noise: Ints
    sized_noise: Ints
    reached: Ints

    def __add__(self, other: DensityTotals) -> DensityTotals:
        return DensityTotals(
            self.n_people + other.n_people,
            self.weight + other.weight,
            self.squared_weight + other.squared_weight,
            self.unsure_weight + other.unsure_weight,
            self.marks + other.marks,
            checked_sum(self.noise, other.noise),
            checked_sum(self.sized_noise, other.sized_noise),
            checked_sum(self.reached, other.reached),
        )


@dataclass(frozen=True, eq=False)
class DensityTally:
    """Adds up cells, each person weighted by how much noise people with their mask send.

    Parameters
    ----------
    partition
        The cells.
    mechanism, epsilon
        How they are sent: "grr" or "rr".
    """

    partition: Partition
    mechanism: str
    epsilon: float

    def __call__(self, batch: Batch) -> DensityTotals:
        """Return the totals of a batch."""
        partition, enrolled = self.partition, batch.enrolled
        public = enrolled.public
        weight = self.weights(enrolled.mask)
        sums = tally_cells(partition, enrolled, weight, batch.answers[0])
        squares = weight * weight * (count_candidates(partition, enrolled) > 1)
        if len(squares) and (squares == squares[0]).all():
            noise, sized = squares[0] * sums.people.candidates, squares[0] * sums.sized_candidates
        else:
            candidates = partition.candidates(public, enrolled.mask)
            noise, sized = candidates.tally(squares), candidates.tally(squares * candidates.size)
        return DensityTotals(
            len(enrolled),
            exact_total(weight),
            exact_total(weight * weight),
            exact_total(squares),
            sums.labels,
            noise,
            sized,
            reached(partition.tree, partition.bounds.scale(public), enrolled.mask),
        )

    def weights(self, mask: Bools) -> Ints:
        """Return each person's weight, UNIT / (1 + k * noise(k)), rounded, at least 1.

        k is how many cells somebody with this mask could be in, on average over a tree that splits its features evenly:
        weights must depend on nothing but masks, which are taken as independent of the data. 1 + k * noise(k) is the
        variance of a person's indicators, summed over cells and divided by that of a report without noise.
        """
        size = nominal_sizes(self.partition, mask)
        inverse = CELL_MECHANISMS[self.mechanism].weights(self.epsilon)
        noise = np.where(size > 1, size * (inverse.noise + size * inverse.sized_noise), 0.0)
        return np.maximum(np.rint(UNIT / (1 + noise)), 1).astype(np.int64)


def nominal_sizes(partition: Partition, mask: Bools) -> Floats:
    """Return about how many cells people could be in: bins of what they hide, and 2**(splits on what they hide).

    Splits on a feature are counted on the average path from the root to a leaf.
    """
    rows = distinct_rows(mask)
    logs = np.zeros(mask.shape[1])
    logs[list(partition.histogram_features)] = np.log2(partition.bins)
    tree, depth = partition.tree, np.zeros(len(partition.tree.feature))
    for node, (split, child) in enumerate(zip(tree.feature, tree.child, strict=True)):
        if split != LEAF:
            depth[child : child + 2] = depth[node] + 1
            logs[split] += 0.5 ** depth[node]
    return np.asarray(np.broadcast_to(np.exp2(rows @ logs), len(mask)))


def reached(tree: Tree, unit: Floats, mask: Bools) -> Ints:
    """Return how many people reach each node for all to see; at a split on what they hide, people drop out."""
    feature, threshold, child = (np.asarray(part) for part in (tree.feature, tree.threshold, tree.child))
    counts = np.zeros(len(feature), dtype=np.int64)
    counts[0] = len(unit)
    person, node = np.arange(len(unit)), np.zeros(len(unit), dtype=np.int64)
    for _ in range(tree.depth):
        split = feature[node]
        shown = (split != LEAF) & ~mask[person, np.maximum(split, 0)]
        person, node, split = person[shown], node[shown], split[shown]
        node = child[node] + (unit[person, split] >= threshold[node])
        counts += np.bincount(node, minlength=len(counts))
    return counts
