"""From totals to the mass of every cell: public leaf shares times noisy shares of bins, shrunk level by level.

All of it is post-processing of reports and public numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.curator.density_margin import Margin, estimate_margin, kept, leaf_nodes, split_levels
from semildp.curator.density_totals import DensityTotals
from semildp.curator.estimate import unbiased
from semildp.curator.shrinking import to_simplex
from semildp.mechanisms import IndicatorWeights
from semildp.partition import Partition, Tree
from semildp.partition.tree import LEAF
from semildp.partition.volumes import bin_shares, leaf_shares, node_volumes, over_codes


@dataclass(frozen=True, eq=False)
class MassEstimate:
    """Masses, and how far they may be off.

    Parameters
    ----------
    masses, variances
        Of each cell.
    shares, share_variances
        Of each node that is split, the share of its people in the left child, and its variance.
    bin_variances
        Of each node that is split, the variance of the difference between its children's shares of a bin, on average
        over bins.
    root_variance
        Variance of the shares of bins over everybody, on average over bins.
    """

    masses: Floats
    variances: Floats
    shares: Floats
    share_variances: Floats
    bin_variances: Floats
    root_variance: float


@dataclass(frozen=True, eq=False)
class _Bins:
    """The private part: shares of bins at each node, variances per split and at the root."""

    shares: Floats
    variance: Floats
    root: float


def estimate_masses(
    partition: Partition, n_values: Sequence[int | None], totals: DensityTotals, weights: IndicatorWeights
) -> MassEstimate:
    """Estimate masses that add up to 1, none below volume / (n + 1): one more person is spread evenly over the domain.

    The share of a leaf is the product of shares of its splits among those who show the feature. The shares of bins
    within a node are the unbiased count over the node's mass. Going down the tree, the difference that each level makes
    to either is multiplied by a factor, see `kept`. Shares of bins in a leaf are then projected on the simplex.
    """
    tree, leaves = partition.tree, leaf_shares(partition.tree, n_values).prod(axis=1)
    code_volumes = over_codes(bin_shares(partition, n_values))
    levels = split_levels(tree)
    counts, noise = _by_node(partition, totals, weights)
    margin = estimate_margin(tree, levels, node_volumes(tree, leaves), totals, (_row_sums(counts), _row_sums(noise)))
    bins = _bins(partition, levels, margin, totals, (counts, noise), _own_noise(totals, weights))
    nodes = leaf_nodes(tree)
    shares = np.stack([to_simplex(row - row.max(), 1.0) for row in bins.shares[nodes]])  # no row is too large so
    raw = margin.mass[nodes][:, None] * shares
    masses = (totals.n_people * raw + np.multiply.outer(leaves, code_volumes)) / (totals.n_people + 1)
    masses = masses / math.fsum(masses.ravel().tolist())
    variances = _cell_variances(tree, margin, bins, shares)
    return MassEstimate(masses.ravel(), variances.ravel(), margin.share, margin.variance, bins.variance, bins.root)


def _bins(
    partition: Partition,
    levels: list[Ints],
    margin: Margin,
    totals: DensityTotals,
    reported: tuple[Floats, Floats],
    own: float,
) -> _Bins:
    """Shrink the shares of bins: over everybody towards even ones, then each split's towards those above it."""
    tree, codes = partition.tree, partition.n_codes
    child, n = np.asarray(tree.child), len(tree.feature)
    shares, variance = np.full((n, codes), 1 / codes), np.zeros(n)
    if codes == 1:
        return _Bins(shares, variance, 0.0)
    people = totals.weight * np.where(margin.raw > 0, margin.raw, 1.0)
    seen, noise = reported[0] / people[:, None], reported[1] / (people * people)[:, None]
    seen = seen - ((_row_sums(seen) - 1) / codes)[:, None]
    sampling = totals.squared_weight / totals.weight**2

    def doubt(nodes: Ints, parent: Ints) -> Floats:
        """Return the variance of shares seen at nodes: of the noise, and of who happens to be there."""
        usual = np.clip(shares[parent], 0.0, 1.0)
        return np.asarray(noise[nodes] + usual * ((1 - usual) * sampling + own) / margin.raw[nodes][:, None])

    top = np.array([0])
    gap, around = (seen[top] - shares[top])[0], doubt(top, top)[0]
    size = math.fsum((gap * gap).tolist())
    factor, rest = kept(size, math.fsum(around.tolist()), codes - 1)
    shares[0] = shares[0] + factor * gap
    root = rest * (math.fsum(around.tolist()) / codes)
    for nodes in levels:
        left, right = child[nodes], child[nodes] + 1
        shares[left], shares[right] = shares[nodes], shares[nodes]
        open_ = (margin.raw[left] > 0) & (margin.raw[right] > 0)
        nodes, left, right = nodes[open_], left[open_], right[open_]
        if not len(nodes):
            continue
        gaps, around = seen[left] - seen[right], doubt(left, nodes) + doubt(right, nodes)
        share = margin.share[nodes]
        weight = (margin.mass[nodes] * share * (1 - share)) ** 2
        weight = weight * (1 / margin.volume[left] + 1 / margin.volume[right])
        size = math.fsum((weight[:, None] * (gaps * gaps)).ravel().tolist())
        noisy = math.fsum((weight[:, None] * around).ravel().tolist())
        factor, rest = kept(size, noisy, len(nodes) * (codes - 1))
        shares[left] = shares[left] + (factor * (1 - share))[:, None] * gaps
        shares[right] = shares[right] - (factor * share)[:, None] * gaps
        variance[nodes] = rest * (_row_sums(around) / codes)
    return _Bins(shares, variance, root)


def _own_noise(totals: DensityTotals, weights: IndicatorWeights) -> float:
    """Return by how much the noise of a share is larger in the cell that people are in, per unit of share.

    A mark has probability p in a person's own cell and q elsewhere. Variances of indicators differ by
    p(1-p)/(p-q)**2 - q(1-q)/(p-q)**2 = 1/(p-q) - 1 - 2q/(p-q); 1/(p-q) = per_mark + k per_sized_mark.
    """
    sized = math.fsum(totals.noise.tolist())  # every person with several candidates counts once for each of them
    flat = weights.per_mark - 1 + 2 * weights.per_candidate
    return float(max(flat * totals.unsure_weight + weights.per_sized_mark * sized, 0.0) / totals.weight**2)


def _by_node(partition: Partition, totals: DensityTotals, weights: IndicatorWeights) -> tuple[Floats, Floats]:
    """Return, for each node and bin, an unbiased count of people, and the variance of its noise."""
    tree, codes = partition.tree, partition.n_codes
    counts, noise = np.zeros((len(tree.feature), codes)), np.zeros((len(tree.feature), codes))
    nodes = leaf_nodes(tree)
    counts[nodes] = unbiased(totals.marks, weights).reshape(-1, codes)
    noise[nodes] = (weights.noise * totals.noise + weights.sized_noise * totals.sized_noise).reshape(-1, codes)
    for node in range(len(tree.feature) - 1, -1, -1):  # children come after their parent
        if tree.feature[node] != LEAF:
            left = tree.child[node]
            counts[node], noise[node] = counts[left] + counts[left + 1], noise[left] + noise[left + 1]
    return counts, noise


def _row_sums(rows: Floats) -> Floats:
    """Add up each row from left to right, so that a loop gives the same bits."""
    return np.asarray(np.cumsum(rows, axis=1)[:, -1])


def _cell_variances(tree: Tree, margin: Margin, bins: _Bins, shares: Floats) -> Floats:
    """Return the variance of each cell's mass: of its leaf's share, and of its bin's share in the leaf."""
    n = len(tree.feature)
    relative, within = np.zeros(n), np.full(n, bins.root)
    for node, (split, left) in enumerate(zip(tree.feature, tree.child, strict=True)):
        if split == LEAF:
            continue
        r = margin.share[node]
        for child, own, other in ((left, r, 1 - r), (left + 1, 1 - r, r)):
            relative[child] = relative[node] + (margin.variance[node] / own**2 if own > 0 else 0.0)
            within[child] = within[node] + other**2 * bins.variance[node]
    nodes = leaf_nodes(tree)
    mass = margin.mass[nodes]
    return np.asarray((mass**2)[:, None] * (within[nodes][:, None] + shares**2 * relative[nodes][:, None]))
