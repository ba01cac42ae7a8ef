"""How much learners explain of noisy labels that they were not fitted to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.curator.effects.people import Chosen, batches
from semildp.curator.noisy import NoisyLabels

SEED = 0  # of the folds: which person is in which tells nothing


@dataclass(frozen=True, eq=False)
class Explained:
    """For each held-out label, by how much less a learner is off than the mean, weighed, in units of the variance.

    Parameters
    ----------
    each
        (noisy - mean)^2 - (noisy - prediction)^2, over the label's variance, times the label's weight over the mean
        weight: the mean of these is the share of variance that is explained.
    """

    each: Floats

    @property
    def mean(self) -> float:
        """Share of the label's variance that is explained."""
        return float(self.each.mean())

    @property
    def standard_error(self) -> float:
        """Standard error of that share."""
        return float(self.each.std() / np.sqrt(len(self.each)))

    def ahead(self, other: Explained) -> tuple[float, float]:
        """Return how much more this one explains than another, and the standard error of the difference."""
        difference = Explained(self.each - other.each)
        return difference.mean, difference.standard_error


def explained_share(labels: NoisyLabels, learners: Mapping[str, Any], folds: int) -> dict[str, Explained]:
    """Predict each person's noisy label from the others' folds, by each learner."""
    noisy, weight = labels.labels[:], 1 / labels.variance[:]
    fold = np.random.default_rng(SEED).permutation(len(noisy)) % folds
    weight /= weight.mean()
    off = {name: np.empty(len(fold)) for name in learners}
    plain = np.empty(len(fold))
    for k in range(folds):
        out, rest = np.flatnonzero(fold == k), np.flatnonzero(fold != k)
        known = part_of(labels, rest)
        plain[out] = (noisy[out] - np.average(noisy[rest], weights=weight[rest])) ** 2
        for name, learner in learners.items():
            learnt = replace(known, learner=learner).learn()
            for rows, people in batches(Chosen(labels.chosen, out)):
                off[name][out[rows]] = (noisy[out[rows]] - learnt.predict(people.public)) ** 2
    return {name: Explained(weight * (plain - each) / labels.spread) for name, each in off.items()}


def part_of(labels: NoisyLabels, chosen: Ints) -> NoisyLabels:
    """Return some of the labels, by rising position."""
    group = np.repeat(np.arange(len(labels.sizes)), labels.sizes)
    sizes = np.bincount(group[chosen], minlength=len(labels.sizes))
    return replace(labels, people=Chosen(labels.chosen, chosen), labels=labels.labels[:][chosen], sizes=sizes)
