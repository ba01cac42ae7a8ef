"""Everything one person sends in both rounds, and how likely it is, enumerated exactly in a small world.

The partition a person answers about in round 2 depends on what they sent in round 1, so the rounds cannot be judged
apart. Public features are fixed, private ones and the label run over a grid, and the curator's own code grows the
partition.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from semildp.budgets import Budget
from semildp.client import report_labels
from semildp.curator import grow_partition
from semildp.domains import FeatureBounds, LabelGrid
from semildp.mechanisms import CELL_MECHANISMS, LABEL_MECHANISMS
from semildp.partition import Partition, Shape
from semildp.sources import SeededSource
from semildp.wire import LabelReports, Study

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Candidates = Callable[[Partition, Floats, Bools, Bools], Ints]

EPSILON = 1.0
GRID = (0.1, 0.4, 0.6, 0.95)  # of a private feature: both bins, both halves
PUBLIC = 0.7
SEED = 0  # of the others; a world in which one label report can tip the partition, which is tested
N_OTHERS = 30
SETTINGS = ("aligned", "personalised", "hidden")


@dataclass(frozen=True)
class World:
    """One person and a few others, whose label reports are in. `rows` and `masks` must not be told apart."""

    study: Study
    others: LabelReports
    rows: Floats
    masks: Bools
    splitter: str

    def label_report(self, which: int, label: float = 0.0, seed: int = 0) -> LabelReports:
        """Return what the person's device sends in round 1 under one of the private inputs."""
        one = slice(which, which + 1)
        return report_labels(self.study, self.rows[one], np.array([label]), self.masks[one], SeededSource(seed))

    def reports(self, z: int) -> LabelReports:
        """Return everybody's label reports when the person's noisy label is z."""
        mine = self.label_report(0)  # but for the label it is the same for all inputs, which is tested
        return LabelReports(
            np.append(self.others.labels, z),
            np.concatenate([self.others.public, mine.public]),
            np.concatenate([self.others.mask, mine.mask]),
        )

    def partition(self, z: int) -> Partition:
        """Return what the curator publishes when the person's noisy label is z."""
        return grow_partition(self.study, self.reports(z), Shape(1, 2, 2), self.splitter, SeededSource(1))


def build_world(setting: str, mechanism: str, splitter: str = "max-edge", label: str = "laplace") -> World:
    """Build a setting: all hide feature 0; some hide more, this person feature 2; or all is hidden, masks included."""
    study = Study(
        FeatureBounds((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)),
        LabelGrid(-1.0, 1.0, 4),
        Budget(EPSILON, 0.4),
        label_mechanism=label,
        cell_mechanism=mechanism,
        hide_mask=setting == "hidden",
    )
    rng = np.random.default_rng(SEED)
    masks = np.zeros((N_OTHERS, 3), dtype=bool)
    masks[:, 0] = True
    if setting == "personalised":
        masks[::5, 2] = masks[1::7, 1] = True
    # The others' reports are whatever they are: labels of little spread, so that this person's can tip a split.
    sent = report_labels(study, rng.random((N_OTHERS, 3)), np.zeros(N_OTHERS), masks, SeededSource(5))
    others = replace(sent, labels=rng.integers(0, 5, N_OTHERS))
    return World(study, others, *_inputs(setting), splitter)


def _inputs(setting: str) -> tuple[Floats, Bools]:
    if setting == "hidden":
        own = ((True, False, False), (False, True, True))
        pairs = [(row, mask) for row in itertools.product(GRID[1:3], repeat=3) for mask in own]
    else:
        mask = (True, False, setting == "personalised")
        pairs = [(row, mask) for row in itertools.product(*(GRID if hidden else (PUBLIC,) for hidden in mask))]
    return np.array([row for row, _ in pairs]), np.array([mask for _, mask in pairs])


def honest_candidates(partition: Partition, X: Floats, acting: Bools, own: Bools) -> Ints:
    """Return the cells the person could be in, as the client computes them."""
    return partition.candidates(X, acting).cells()[1]


def cell_report_law(name: str, epsilon: float, candidates: Ints, cell: int, n_cells: int) -> Floats:
    """Return the log probability of every cell report; a report is the set of marked cells, as a binary number."""
    mechanism = CELL_MECHANISMS[name](epsilon, len(candidates))
    outputs = mechanism.output_domain
    place = np.full(len(outputs), np.flatnonzero(candidates == cell)[0])
    marked = 1 << candidates[outputs] if outputs.ndim == 1 else (outputs << candidates).sum(axis=1)
    law = np.full(2**n_cells, -np.inf)
    law[marked] = mechanism.log_probability(outputs, place)
    return law


def cell_report_laws(world: World, partition: Partition, epsilon: float, candidates: Candidates) -> Floats:
    """Return that law for every private input, one row each."""
    laws = []
    for which in range(len(world.rows)):
        X, own = world.rows[which : which + 1], world.masks[which : which + 1]
        cells = candidates(partition, X, world.label_report(which).mask, own)
        cell = int(partition.cell(X)[0])
        laws.append(cell_report_law(world.study.cell_mechanism, epsilon, cells, cell, partition.n_cells))
    return np.array(laws)


def worst_joint_ratio(
    world: World,
    label_epsilon: float | None = None,
    cell_epsilon: float | None = None,
    candidates: Candidates = honest_candidates,
) -> tuple[float, int]:
    """Return the worst log ratio over all pairs of inputs and all that can be sent, and the number of partitions met.

    The epsilons are those of the study, unless a client is to be imagined that spends others.
    """
    study, steps = world.study, world.study.label_grid.steps
    mechanism = LABEL_MECHANISMS[study.label_mechanism](label_epsilon or study.budget.label, steps)
    labels, worst, met = np.arange(steps + 1), 0.0, {}
    for z in range(-40, steps + 41):
        partition = world.partition(z)
        text = partition.to_json()
        if text not in met:
            met[text] = cell_report_laws(world, partition, cell_epsilon or study.budget.cell, candidates)
        round_1 = mechanism.log_probability(np.full(len(labels), z), labels)
        if not np.isfinite(round_1).any():  # a bounded mechanism never sends it
            continue
        joint = (round_1[:, None, None] + met[text]).reshape(-1, met[text].shape[1])  # (x, y) by report
        possible = joint[:, np.isfinite(joint).any(axis=0)]
        worst = max(worst, float((possible.max(axis=0) - possible.min(axis=0)).max()))
    return worst, len(met)
