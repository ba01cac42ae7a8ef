"""Which partition a density is estimated on, chosen from public numbers: masks, public features, the known noise."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.backends import chunks
from semildp.domains import bin_of
from semildp.errors import InputError
from semildp.masks import Mask, distinct_rows, most_hidden_first, times_hidden
from semildp.mechanisms import CELL_MECHANISMS
from semildp.partition import MAX_CELLS, Tree
from semildp.partition.tree import LEAF
from semildp.partition.volumes import leaf_shares, node_volumes
from semildp.study import Study
from semildp.wire.columns import Enrolled

MOST = 1 << 16  # cells of a partition that is chosen here: a model of a few megabytes; a guess
DEEPEST, MOST_BINS = 16, 64  # of a tree, and of a histogram feature; guesses, as the one before
PARTS, MOST_UNEVEN = 16, 64.0  # equal parts in which public features are counted, and the most that is made of it
BIAS_WEIGHT = 8.0  # a guess: more than theory's 1, as levels of the tree that show nothing cost no variance. Tried, at
# 10**3 to 10**5 people and epsilon 1 and 4, on three beta(2, 4) features and on a mixture of two normal densities.


class DensityShape(NamedTuple):
    """How many features are in the histogram (s), the depth of the tree (p), and the bins of each number (t)."""

    n_histogram_features: int
    depth: int
    bins: int


@dataclass(frozen=True)
class DensityPlan:
    """The features of the histogram and of the tree, the shape, the mechanism, and the bound on the error."""

    histogram: tuple[int, ...]
    tree: tuple[int, ...]
    shape: DensityShape
    mechanism: str
    bound: float


@dataclass(frozen=True)
class Given:
    """What is fixed beforehand of a plan; None is chosen."""

    n_histogram_features: int | None = None
    depth: int | None = None
    bins: int | None = None
    mechanism: str | None = None
    bias_weight: float = BIAS_WEIGHT
    mean_square: float = 1.0


def mean_square(enrolled: Enrolled, study: Study) -> float:
    """Guess the mean square of the density, relative to an even one: as if features were independent, and alike.

    Of a feature that is shown, an unbiased estimate from counts c in N equal parts is N sum c (c - 1) / (n (n - 1)).
    The geometric mean over features, at least 1, stands for those that nobody shows. At most MOST_UNEVEN: a guess.
    """
    parts = [values or PARTS for values in study.n_values]
    counts = [np.zeros(many, dtype=np.int64) for many in parts]
    for chunk in chunks(len(enrolled)):
        some = enrolled[chunk]
        unit = study.bounds.scale(some.public)
        for j, many in enumerate(parts):
            counts[j] += np.bincount(bin_of(unit[~some.mask[:, j], j], many), minlength=many)
    logs = []
    for count, many in zip(counts, parts, strict=True):
        if (n := int(count.sum())) > 1:
            logs.append(math.log(max(many * float(count @ (count - 1)) / (n * (n - 1)), 1.0)))
    whole = len(parts) * math.fsum(logs) / max(len(logs), 1)
    return math.exp(min(whole, math.log(MOST_UNEVEN)))


def plan_density(mask: Mask, n_values: Sequence[int | None], epsilon: float, given: Given) -> DensityPlan:
    """Choose the plan of least bound on the integrated squared error; of equals the first, with the fewest cells.

    Features that everybody hides are in the histogram, and those that nobody hides never. A feature that is in neither
    the histogram nor, because nobody shows it, in the tree is not cut at all. The bound is

        cells / n / mean_i(1 / (1 + k_i noise(k_i))) + bias_weight * mean_square * (sum of squared edges of numbers),

    the variance of masses over volumes, summed, for people weighted by their noise, who have k_i candidates; and the
    squared bias, edges being shares of the domain. An edge h removes slopes of h**2 / 12 times their mean square, which
    is 12 times that of the density itself for a normal one of a standard deviation of 1/5: bias_weight 1.
    """
    times = times_hidden(mask)
    order, n = most_hidden_first(times).tolist(), len(mask)
    rows = distinct_rows(mask)
    always, ever = int((times == n).sum()) if n else 0, int((times > 0).sum())
    counts = range(always, ever + 1) if given.n_histogram_features is None else (given.n_histogram_features,)
    best: DensityPlan | None = None
    for s in counts:
        histogram = tuple(order[:s])
        tree = tuple(sorted(j for j in order[s:] if times[j] < n or not n))
        hidden = rows[:, list(histogram)].sum(axis=1), rows[:, list(tree)].sum(axis=1)
        pairs, people = np.unique(np.stack(hidden, axis=1), axis=0, return_counts=True)
        for found in _plans(_People(pairs, people / people.sum(), n), histogram, tree, n_values, epsilon, given):
            if best is None or found.bound < best.bound:
                best = found
    if best is None:
        asked = f"depth={given.depth}, bins={given.bins}, n_histogram_features={given.n_histogram_features}"
        raise InputError(f"The partition must have at most {MAX_CELLS} cells. Got more: {asked}. Lower one of them.")
    return best


@dataclass(frozen=True, eq=False)
class _People:
    """How many features of the histogram and of the tree people hide, which share of them does, and how many are."""

    hidden: Ints
    share: Floats
    n: int


def _plans(
    people: _People,
    histogram: tuple[int, ...],
    tree: tuple[int, ...],
    n_values: Sequence[int | None],
    epsilon: float,
    given: Given,
) -> Iterator[DensityPlan]:
    """Return every plan with these features, the smallest first."""
    numbers = sum(n_values[j] is None for j in histogram)
    fixed = math.prod(n_values[j] or 1 for j in histogram)
    most = MOST if given.depth is None and given.bins is None else MAX_CELLS
    deepest = min(DEEPEST, math.ceil(math.log2(max(people.n, 1)))) if tree else 0
    depths = range(deepest + 1) if given.depth is None else (given.depth if tree else 0,)
    every = range(1, (MOST_BINS if numbers else 1) + 1) if given.bins is None else (given.bins,)
    for depth in depths:
        edge = 2.0 ** (-depth / len(tree)) if tree else 1.0
        for bins in every:
            codes = fixed * bins**numbers
            if codes * 2**depth > most and (depth > 0 or bins > 1):
                break
            bias = given.bias_weight * given.mean_square * (numbers * bins**-2.0 + len(tree) * edge**2)
            noise, mechanism = _variance(people, codes, len(histogram), depth, len(tree), epsilon, given.mechanism)
            yield DensityPlan(histogram, tree, DensityShape(len(histogram), depth, bins), mechanism, noise + bias)


def _variance(
    people: _People, codes: int, s: int, depth: int, m: int, epsilon: float, mechanism: str | None
) -> tuple[float, str]:
    """Return the variance term of the bound, and the mechanism that makes it least."""
    logs = people.hidden @ np.array([math.log2(codes) / max(s, 1), depth / max(m, 1)])
    size = np.exp2(logs)
    found = []
    for name in CELL_MECHANISMS if mechanism is None else (mechanism,):
        inverse = CELL_MECHANISMS[name].weights(epsilon)
        noise = np.where(size > 1, size * (inverse.noise + size * inverse.sized_noise), 0.0)
        found.append((codes * 2.0**depth / max(people.n, 1) / float(people.share @ (1 / (1 + noise))), name))
    return min(found, key=lambda each: each[0])


def margin_depth(tree: Tree, reached: Ints, n_values: Sequence[int | None]) -> int:
    """Return the depth to which a tree should be cut for the density of its own features, known without noise.

    A level adds the variance N and removes the squared bias B of masses over volumes; its size D, which is seen, is
    B + N on average. The depth with the least sum of 2 N - D over the levels above it is taken.
    """
    volume = node_volumes(tree, leaf_shares(tree, n_values).prod(axis=1))
    best, total, level, n = (0.0, 0), 0.0, np.array([0]), max(int(reached[0]), 1)
    for depth in range(tree.depth):
        left = np.asarray(tree.child)[level]
        even = np.divide(volume[left], volume[level], out=np.zeros(len(level)), where=volume[level] > 0)
        open_ = (even > 0) & (even < 1)
        spread = np.where(open_, volume[level] * even * (1 - even), 1.0) * float(n) ** 2
        here, people = reached[left] - even * reached[level], reached[level]
        gain = np.where(open_, (here**2 - 2 * even * (1 - even) * people) / spread, 0.0)
        total -= math.fsum(gain.tolist())
        best = min(best, (total, depth + 1))
        level = (left[:, None] + np.arange(2)).ravel()
    return best[1]


def cut_tree(tree: Tree, depth: int) -> Tree:
    """Return the first levels of a tree whose nodes stand level by level, each of them full."""
    n, inner = 2 ** (depth + 1) - 1, 2**depth - 1
    return Tree(
        tree.feature[:inner] + (LEAF,) * (n - inner),
        tree.threshold[:inner] + (0.0,) * (n - inner),
        tree.child[:inner] + (0,) * (n - inner),
    )
