"""From totals to one prediction per cell: unbiased ratio, fall-back, clipping. All of it is post-processing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp._checks import finite_number
from semildp._kernels.sums import overflow
from semildp.curator.totals import Tally, Totals
from semildp.domains import LabelGrid
from semildp.errors import refusal
from semildp.mechanisms import IndicatorWeights
from semildp.partition import Partition, Tree


@dataclass(frozen=True, eq=False)
class Estimate:
    """What is predicted in each cell, and from how far up.

    Parameters
    ----------
    values
        Prediction per cell, in label units, within the label bounds.
    counts
        Unbiased estimate of the number of people per cell; may be negative.
    level
        Where the prediction is from: 0 the cell itself, 1 its leaf over all bins, 2, 3, ... further up the tree path;
        beyond the root is the mean of all noisy labels.
    """

    values: Floats
    counts: Floats
    level: Ints

    @classmethod
    def of(cls, values: Sequence[float], counts: Sequence[float], level: Sequence[int]) -> Estimate:
        """Build it from plain numbers."""
        return cls(np.array(values), np.array(counts), np.array(level))


def estimate(
    partition: Partition,
    totals: Totals,
    weights: IndicatorWeights,
    grid: LabelGrid,
    min_count: float | str = "auto",
    label_estimate: Callable[[Floats], Floats] = np.asarray,
) -> Estimate:
    """Divide the unbiased label sum by the unbiased count (equation (7) of the paper), where the count is large enough.

    Large enough is above `min_count`; "auto" is one standard deviation of the count's noise (taken as independent from
    cell to cell), and at least 1. A cell below it takes the value of its leaf over all bins, else of the nearest
    ancestor of that leaf that is above it, else the mean of all noisy labels.
    `label_estimate` turns a mean of label reports into grid steps, without bias.
    """
    floor = read_min_count(min_count)
    mean = totals.label_sum / totals.n_people
    path = leaf_paths(partition.tree)  # one column per step up from the leaf
    cell_value, cell_count, cell_good = _ratio(totals, weights, floor)
    node_value, _, node_good = _ratio(_by_node(partition, totals), weights, floor)

    value = np.full(partition.tree.n_leaves, mean)
    level = np.full(partition.tree.n_leaves, path.shape[1] + 1)
    for step in range(path.shape[1] - 1, -1, -1):  # from the root down: the nearest good ancestor is written last
        node = path[:, step]
        good = (node >= 0) & node_good[node]
        value, level = np.where(good, node_value[node], value), np.where(good, step + 1, level)
    value, level = np.repeat(value, partition.n_codes), np.repeat(level, partition.n_codes)
    value, level = np.where(cell_good, cell_value, value), np.where(cell_good, 0, level)
    return Estimate(np.clip(grid.decode(label_estimate(value)), grid.low, grid.high), cell_count, level)


def read_min_count(min_count: float | str) -> float | None:
    """Return the floor of a cell's count, None for "auto", or refuse it."""
    if isinstance(min_count, str) and min_count != "auto":
        raise refusal("min_count", "a number or 'auto'", repr(min_count))
    return None if isinstance(min_count, str) else finite_number("min_count", min_count)


def _ratio(totals: Totals, weights: IndicatorWeights, floor: float | None) -> tuple[Floats, Floats, Bools]:
    """Return label mean, count, and whether the count is above its floor, per cell (or node)."""
    count = unbiased(totals.people, weights)
    if floor is None:
        noise = weights.noise * totals.people.candidates + weights.sized_noise * totals.sized_candidates
        good = count > np.maximum(np.sqrt(noise), 1.0)
    else:
        good = count > max(floor, 0.0)
    return unbiased(totals.labels, weights) / np.where(good, count, 1.0), count, good


def unbiased(tally: Tally, weights: IndicatorWeights) -> Floats:
    """Apply the mechanism's inverse to the sums (method of Appendix A.1; linear, so it may be applied to totals)."""
    noisy = weights.per_mark * tally.marks + weights.per_sized_mark * tally.sized_marks
    return np.asarray(tally.known + (noisy + weights.per_candidate * tally.candidates))


def _by_node(partition: Partition, totals: Totals) -> Totals:
    """Add up the cells below every tree node; leaves are numbered from left to right, so below a node is a range."""
    first, last = _leaf_ranges(partition.tree)

    def below(cells: Ints) -> Ints:
        if np.abs(cells.astype(np.float64)).sum() >= 2.0**62:  # each cell's sum fits; that of all may not
            raise overflow()
        running = np.concatenate([[0], np.cumsum(cells.reshape(-1, partition.n_codes).sum(axis=1))])
        return np.asarray(running[last] - running[first])

    def tally(t: Tally) -> Tally:
        return Tally(below(t.known), below(t.marks), below(t.sized_marks), below(t.candidates))

    sized = below(totals.sized_candidates)
    return Totals(totals.n_people, totals.label_sum, tally(totals.people), tally(totals.labels), sized)


def _leaf_ranges(tree: Tree) -> tuple[Ints, Ints]:
    """Return the first leaf below each node, and one past the last."""
    first = tree.leaf.copy()
    last = tree.leaf + 1
    for node in range(len(tree.feature) - 1, -1, -1):  # children come after their parent
        if tree.leaf[node] < 0:
            first[node], last[node] = first[tree.child[node]], last[tree.child[node] + 1]
    return first, last


def leaf_paths(tree: Tree) -> Ints:
    """Return, per leaf, the nodes from the leaf up to the root; -1 past the root."""
    parent = np.full(len(tree.feature), -1, dtype=np.int64)
    for node, child in enumerate(tree.child):
        if tree.leaf[node] < 0:
            parent[[child, child + 1]] = node
    leaves = np.flatnonzero(tree.leaf >= 0)
    path: list[Ints] = [leaves[np.argsort(tree.leaf[leaves])]]
    for _ in range(tree.depth):
        path.append(np.where(path[-1] >= 0, parent[path[-1]], -1))
    return np.stack(path, axis=1)
