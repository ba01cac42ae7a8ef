"""The CART splitter: the largest fall in the noisy labels' sum of squares, over a bounded number of thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from semildp._arrays import Floats, Ints
from semildp._kernels.plain import HIDDEN, Codes
from semildp._kernels.sums import counts_by_group, sums_by_group
from semildp.partition.label_scale import LabelScale
from semildp.partition.samples import Samples, Scan
from semildp.partition.sampling import sample_of
from semildp.partition.scores import exact_reduction_score, first_best, reduction_score
from semildp.partition.tree import Tree, TreeBuilder
from semildp.sources import Source

BINS = 64
MIN_PEOPLE = 10
PARTS = 5  # each side keeps at least one part in five of the node's usable people
MOST_SAMPLED = 2**17  # people whose features thresholds are taken from


def thresholds(values: Floats) -> Floats:
    """Return at most BINS - 1 thresholds: evenly spaced order statistics, without repeats and without the smallest."""
    ordered = np.sort(values)
    picks = ordered[np.arange(1, BINS) * len(ordered) // BINS] if len(ordered) else ordered
    return np.unique(picks[picks > ordered[:1]]) if len(ordered) else picks


def grow_cart(scan: Scan, features: Ints, depth: int, source: Source) -> Tree:
    """Split each node where the sum of squares of usable people falls most, enough of them on each side.

    Enough is MIN_PEOPLE and a fifth of them: noisy labels make end cuts look good (alpha-regular trees, Wager and Athey
    2018, with the largest alpha their theory allows).

    Usable are the people who make the feature public; they alone are passed down. The fall is not divided by their
    number, so a feature that more people make public counts for more. Ties go to the lowest feature, then threshold. A
    node where nothing is admissible, or nothing falls, stays a leaf. Thresholds are taken from at most MOST_SAMPLED
    people, chosen by hash.
    """
    sampled = scan(lambda samples: sample_of(samples, features, MOST_SAMPLED))
    cuts = [thresholds(column[~np.isnan(column)]) for column in sampled.rows.T]
    builder, growing = TreeBuilder(), _Growing(scan, features, cuts, LabelScale.find(scan, features))
    for _ in range(depth):
        if not growing.nodes or not any(len(each) for each in cuts):
            break
        growing.split(builder)
    return builder.build()


@dataclass(frozen=True, eq=False)
class _Sums:
    """People (node, bin) and sums of labels (column, node, bin), one array per feature."""

    n: list[Ints]
    total: list[Ints]

    def __add__(self, other: _Sums) -> _Sums:
        return _Sums(
            [a + b for a, b in zip(self.n, other.n, strict=True)],
            [a + b for a, b in zip(self.total, other.total, strict=True)],
        )


@dataclass(frozen=True, eq=False)
class _Splits:
    """The splits of one level: per node the feature, the threshold's number, and its rank among nodes that split."""

    feature: Ints
    cut: Ints
    rank: Ints


class _Growing:
    """The nodes of the current level, and how people get there."""

    def __init__(self, scan: Scan, features: Ints, cuts: list[Floats], scale: LabelScale) -> None:
        self.scan, self.features, self.cuts, self.scale = scan, features, cuts, scale
        self.nodes = [0]
        self.levels: list[_Splits] = []

    def split(self, builder: TreeBuilder) -> None:
        """Split every node that has an admissible split, and move on to the children."""
        sums = self.scan(self._tally)
        n = np.concatenate([_left_and_right(count) for count in sums.n], axis=1)
        total = np.concatenate([_left_and_right(total) for total in sums.total], axis=2)
        # A threshold that moves nobody repeats the split before it: leave it out.
        n[np.concatenate([count[:, :-1] == 0 for count in sums.n], axis=1)] = 0
        smaller = n.min(axis=-1)
        admissible = (smaller >= MIN_PEOPLE) & (PARTS * smaller >= n.sum(axis=-1))
        score, scale = (each.sum(axis=0) for each in reduction_score(n, total))
        score = np.where(admissible, score, np.inf)

        def exact(row: int, cut: int) -> Fraction:
            return sum((exact_reduction_score(n[row, cut], each) for each in total[:, row, cut]), Fraction(0))

        best = first_best(score, scale, exact)
        for row in np.flatnonzero(best >= 0):
            if exact(int(row), int(best[row])) >= 0:
                best[row] = -1
        self._descend(builder, best)

    def _tally(self, samples: Samples) -> _Sums:
        codes = samples.once("cuts", lambda: samples.codes(self.features, self.cuts))  # x < cuts[c] iff code <= c
        people, place = self._walk(codes)
        labels = [self.scale(column[people]) for column in samples.columns]
        counts, totals = [], []
        for j, cuts in enumerate(self.cuts):
            code = codes[people, j].astype(np.int64)
            public = code != HIDDEN
            shape = (len(self.nodes), len(cuts) + 1)
            group = (place * shape[1] + code)[public]
            counts.append(counts_by_group(group, shape[0] * shape[1]).reshape(shape))
            by_group = [sums_by_group(group, each[public], shape[0] * shape[1]) for each in labels]
            totals.append(np.stack(by_group).reshape(-1, *shape))
        return _Sums(counts, totals)

    def _walk(self, codes: Codes) -> tuple[Ints, Ints]:
        """Return who is still in the growing, and the position in `nodes` of the node each of them is at."""
        people = np.flatnonzero((codes != HIDDEN).any(axis=1))
        place = np.zeros(len(people), dtype=np.int64)
        for level in self.levels:
            code, rank = codes[people, level.feature[place]], level.rank[place]
            stays = (rank >= 0) & (code != HIDDEN)
            right = code > level.cut[place]
            place, people = (2 * rank + right)[stays], people[stays]
        return people, place

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
        self.levels.append(_Splits(j, cut, rank))
        self.nodes = children


def _left_and_right(by_bin: Ints) -> Ints:
    """Turn sums per bin into sums on either side of each threshold, sides last."""
    left = np.cumsum(by_bin, axis=-1)
    return np.stack([left[..., :-1], left[..., -1:] - left[..., :-1]], axis=-1)
