"""The CART splitter: the largest fall in the noisy labels' sum of squares, over a bounded number of thresholds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semildp._kernels.sums import counts_by_group, sums_by_group
from semildp.partition.samples import Samples
from semildp.partition.scores import exact_reduction_score, first_best, reduction_score, scoring_labels
from semildp.partition.tree import Tree, TreeBuilder
from semildp.sources import Source

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

BINS = 64
MIN_PEOPLE = 10
PARTS = 5  # each side keeps at least one part in five of the node's usable people


def thresholds(values: Floats) -> Floats:
    """Return at most BINS - 1 thresholds: evenly spaced order statistics, without repeats and without the smallest."""
    ordered = np.sort(values)
    picks = ordered[np.arange(1, BINS) * len(ordered) // BINS] if len(ordered) else ordered
    return np.unique(picks[picks > ordered[:1]]) if len(ordered) else picks


def grow_cart(samples: Samples, features: Ints, depth: int, source: Source) -> Tree:
    """Split each node where the sum of squares of usable people falls most, enough of them on each side.

    Enough is MIN_PEOPLE and a fifth of them: noisy labels make end cuts look good (alpha-regular trees, Wager and Athey
    2018, with the largest alpha their theory allows).

    Usable are the people who make the feature public; they alone are passed down. The fall is not divided by their
    number, so a feature that more people make public counts for more. Ties go to the lowest feature, then threshold. A
    node where nothing is admissible, or nothing falls, stays a leaf.
    """
    builder = TreeBuilder()
    state = _Level(samples, features)
    for _ in range(depth):
        if not state.nodes or not any(len(cuts) for cuts in state.cuts):
            break
        state.split(builder)
    return builder.build()


class _Level:
    """The nodes of one level and the people in them."""

    def __init__(self, samples: Samples, features: Ints) -> None:
        self.features = features
        self.nodes = [0]
        self.hidden = np.ascontiguousarray(samples.mask[:, features].T)
        self.labels = scoring_labels(samples.labels, np.asarray(~self.hidden.all(axis=0)))
        self.place = np.zeros(len(self.labels), dtype=np.int64)  # position of a person's node in `nodes`
        columns = samples.unit[:, features].T
        self.cuts = [thresholds(column[~hidden]) for column, hidden in zip(columns, self.hidden, strict=True)]
        # A person's code is how many thresholds are at or below x, so x < cuts[c] iff code <= c.
        self.codes = np.array(
            [
                np.searchsorted(cuts, np.where(hidden, 0.0, column), side="right")
                for cuts, column, hidden in zip(self.cuts, columns, self.hidden, strict=True)
            ],
            dtype=np.int64,
        ).reshape(len(features), -1)

    def split(self, builder: TreeBuilder) -> None:
        """Split every node that has an admissible split, and move on to the children."""
        n, total = self._sums()
        smaller = n.min(axis=-1)
        admissible = (smaller >= MIN_PEOPLE) & (PARTS * smaller >= n.sum(axis=-1))
        score, scale = reduction_score(n, total)
        score = np.where(admissible, score, np.inf)
        best = first_best(score, scale, lambda r, c: exact_reduction_score(n[r, c], total[r, c]))
        for row in np.flatnonzero(best >= 0):
            if exact_reduction_score(n[row, best[row]], total[row, best[row]]) >= 0:
                best[row] = -1
        self._descend(builder, best)

    def _sums(self) -> tuple[Ints, Ints]:
        """People and label sums, left and right, of every (node, split); splits run over features, then thresholds."""
        n_nodes = len(self.nodes)
        n_parts: list[Ints] = []
        total_parts: list[Ints] = []
        for cuts, codes, hidden in zip(self.cuts, self.codes, self.hidden, strict=True):
            public = ~hidden
            group = (self.place * (len(cuts) + 1) + codes)[public]
            shape = (n_nodes, len(cuts) + 1)
            count = counts_by_group(group, shape[0] * shape[1]).reshape(shape)
            total = sums_by_group(group, self.labels[public], shape[0] * shape[1]).reshape(shape)
            n_parts.append(_left_and_right(count))
            total_parts.append(_left_and_right(total))
            # A threshold that moves nobody repeats the split before it: leave it out.
            n_parts[-1][count[:, :-1] == 0] = 0
        return np.concatenate(n_parts, axis=1), np.concatenate(total_parts, axis=1)

    def _descend(self, builder: TreeBuilder, best: Ints) -> None:
        first_split = np.cumsum([0] + [len(cuts) for cuts in self.cuts])
        j = np.searchsorted(first_split, best, side="right") - 1
        cut = best - first_split[j]
        moved = np.flatnonzero(best >= 0)
        children: list[int] = []
        for row in moved:
            threshold = float(self.cuts[j[row]][cut[row]])
            left = builder.split(self.nodes[row], int(self.features[j[row]]), threshold)
            children += [left, left + 1]
        rank = np.full(len(self.nodes), -1, dtype=np.int64)
        rank[moved] = np.arange(len(moved))
        jp, people = j[self.place], np.arange(len(self.place))
        stays = (rank[self.place] >= 0) & ~self.hidden[jp, people]
        right = self.codes[jp, people] > cut[self.place]
        self.place = (2 * rank[self.place] + right)[stays]
        self.labels, self.hidden, self.codes = self.labels[stays], self.hidden[:, stays], self.codes[:, stays]
        self.nodes = children


def _left_and_right(by_bin: Ints) -> Ints:
    """Turn sums per bin into sums on either side of each threshold, sides last."""
    left = np.cumsum(by_bin, axis=1)
    return np.stack([left[:, :-1], left[:, -1:] - left[:, :-1]], axis=-1)
