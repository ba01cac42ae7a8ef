"""How deep a tree is and how many bins features have where classes are asked for with cells: from public numbers."""

from __future__ import annotations

import math

from semildp.curator.pair_plan import MOST_BINS, MOST_CANDIDATES, MOST_DEPTH, PUBLIC_SHARE, effect_share
from semildp.mechanisms import best_class_response
from semildp.partition import MAX_CELLS


def class_noise(epsilon: float, n_candidates: int, n_classes: int) -> float:
    """Return the noise variance of one report, in units of the variance of 1{class}, where all classes are as likely.

    Both are summed over classes: the variance of 1{class} is (1 / c) (1 - 1 / c) for each of c classes.
    """
    return best_class_response(epsilon, n_candidates, n_classes).total_noise / (1 - 1 / n_classes)


def plan_class_depth(n_people: int, epsilon: float, n_classes: int, first: float) -> int:
    """Choose how deep to grow a tree that will be shrunk: a leaf's noise may be as large as all that trees explain.

    `first` is the precision of the reports that were sent before, in units of one over the variance of 1{class}.
    """
    leaves = PUBLIC_SHARE * (n_people / class_noise(epsilon, 1, n_classes) + first)
    return min(MOST_DEPTH, max(0, math.floor(math.log2(max(leaves, 1.0)))))


def plan_class_bins(n_people: int, n_features: int, depth: int, epsilon: float, n_classes: int, first: float) -> int:
    """Choose bins per feature for cells that combine all of them with the leaves of a tree.

    More bins mean more candidates and more noise, also in what is learnt of the tree; of that, reports that were sent
    before, of precision `first` in all, have told a part.
    """

    def gain(bins: int) -> float:
        noise = class_noise(epsilon, bins**n_features, n_classes) / max(n_people, 1)
        leaves, steps = 2**depth, n_features * (bins - 1)
        public = leaves * _gain(PUBLIC_SHARE / leaves, 1 / (1 / noise + first))
        seen = effect_share(n_features) * (1 - bins**-2) / max(bins - 1, 1)
        return float(public + steps * _gain(seen, noise))

    most = min(MOST_CANDIDATES, MAX_CELLS >> depth)
    allowed = [b for b in range(1, MOST_BINS + 1) if b == 1 or b**n_features <= most]
    return max(allowed, key=gain)


def _gain(signal: float, noise: float) -> float:
    """Return the error removed by estimating, with shrinkage, a coefficient of prior variance `signal`."""
    return signal**2 / (signal + noise)
