"""How much learners explain of noisy classes that they were not fitted to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from semildp._arrays import Floats
from semildp.curator.class_waves import Evidence
from semildp.curator.class_waves.reports import ClassGroup
from semildp.curator.effects.people import Chosen, batches
from semildp.curator.noisy import Learnt
from semildp.tuning.held_out import SEED, Explained


def explained_classes(evidence: Evidence, learners: Mapping[str, Any], folds: int) -> dict[str, Explained]:
    """Predict the class of each fold's people from the reports of all others, by each learner.

    What is compared is the Brier score: the sum over classes of (1{class} - probability)^2, with the unbiased
    indicators of a report for 1{class}. Reports with less noise count for more.
    """
    fold = np.random.default_rng(SEED).permutation(len(evidence.enrolled)) % folds
    gains: dict[str, list[Floats]] = {name: [] for name in learners}
    weights = list[Floats]()
    for k in range(folds):
        held, others = evidence.only(fold == k), evidence.only(fold != k)
        groups = [group for group in held.groups if len(group)]
        weights += [np.full(len(group), 1 / group.response.total_noise) for group in groups]
        for name, learner in learners.items():
            learnt = replace(others, learner=learner).learn()
            gains[name] += [_gain(others, learnt, group) for group in groups]
    weight, spread = np.concatenate(weights), sum(share * (1 - share) for share in evidence.prior[[*evidence.targets]])
    weight *= len(weight) / weight.sum()
    return {name: Explained(weight * np.concatenate(each) / spread) for name, each in gains.items()}


def _gain(others: Evidence, learnt: list[Learnt], group: ClassGroup) -> Floats:
    """Return, for each person of a group, by how much the Brier score of the prior is above that of a prediction."""
    gain = np.zeros(len(group))
    for rows, people in batches(Chosen(others.enrolled, group.people)):
        for target, each in zip(others.targets, learnt, strict=True):
            noisy, predicted = group.indicators(target)[rows], np.clip(each.predict(people.public), 0.0, 1.0)
            gain[rows] += (noisy - others.prior[target]) ** 2 - (noisy - predicted) ** 2
    return gain
