"""Conducting the two rounds of HistOfTree: the paper's way, and with cell and label sent together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semildp.backends import fold
from semildp.client import randomise_labels, report_cells, report_joint, report_labels
from semildp.curator import (
    Estimate,
    JointTotals,
    LabelSpread,
    Totals,
    estimate,
    grow_partition,
    joint_estimate,
    label_spread,
    leaf_centres,
    plan_pairs,
    residual_variance,
    tally_joint,
    tally_reports,
)
from semildp.mechanisms import CELL_MECHANISMS, LABEL_MECHANISMS
from semildp.partition import Partition, Shape
from semildp.sources import Source
from semildp.wire import JointQuestion, LabelReports, Study

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class People:
    """Raw rows, labels and the masks people act on; only handed on to the client."""

    rows: Floats
    labels: Floats
    mask: Bools

    def __getitem__(self, chosen: Bools | slice) -> People:
        return People(self.rows[chosen], self.labels[chosen], self.mask[chosen])


@dataclass(frozen=True, eq=False)
class Found:
    """What the curator has in the end; `second` says who answered in the second round only, None if all in both."""

    partition: Partition
    totals: Totals | JointTotals
    estimate: Estimate
    spread: LabelSpread
    second: Bools | None = None


def paper_rounds(
    study: Study, people: People, shape: Shape, splitter: str, min_count: float | str, sources: list[Source]
) -> Found:
    """Ask everyone for the label, publish the partition, ask everyone for the cell; divide sums of noisy labels."""
    _, label_source, tree_source, cell_source, _ = sources
    labels = report_labels(study, people.rows, people.labels, people.mask, label_source)
    partition = grow_partition(study, labels, shape, splitter, tree_source)

    def ask(chunk: slice) -> Totals:
        cells = report_cells(study, partition, people.rows[chunk], people.mask[chunk], cell_source)
        return tally_reports(partition, labels[chunk], cells)

    totals = fold(ask, len(people.rows))
    weights = CELL_MECHANISMS[study.cell_mechanism].weights(study.budget.cell)
    label = LABEL_MECHANISMS[study.label_mechanism](study.budget.label, study.label_grid.steps)
    found = estimate(partition, totals, weights, study.label_grid, min_count, label.estimate)
    return Found(partition, totals, found, label_spread(study.label_grid, label, labels.labels))


def joint_rounds(
    study: Study, people: People, shape: Shape, splitter: str, share: float | None, sources: list[Source]
) -> Found:
    """Ask for labels, publish partition and leaf means, ask for (cell, residual) together; shrink.

    `share` of the people answer in the first round, the others in the second, each with all of epsilon; None: everyone
    answers in both, and epsilon is split.
    """
    _, label_source, tree_source, cell_source, cohort_source = sources
    n, grid = len(people.rows), study.label_grid
    first = second = np.ones(n, dtype=np.bool_)
    label_epsilon, cell_epsilon = study.budget.label, study.budget.cell
    if share is not None:
        label_epsilon = cell_epsilon = study.budget.epsilon
        first = cohort_source.words(n) / 2.0**64 < share
        first[0] |= not first.any()
        second = ~first
    asked, then = people[first], people[second]
    sent = randomise_labels(grid, asked.labels, label_epsilon, label_source, study.label_mechanism)
    reports = LabelReports(sent, np.where(asked.mask, np.nan, asked.rows), asked.mask)
    partition = grow_partition(study, reports, shape, splitter, tree_source)
    mechanism = LABEL_MECHANISMS[study.label_mechanism](label_epsilon, grid.steps)
    noisy = grid.decode(mechanism.estimate(sent))
    noise = (mechanism.mean_variance(sent) + 1 / 6) * grid.step**2  # 1/6: rounding at random
    centres = np.clip(leaf_centres(partition, reports, noisy, noise), grid.low, grid.high)
    variance = residual_variance(grid, noisy - noisy.mean(), noise)
    plan = plan_pairs(int(second.sum()), 1, cell_epsilon, len(noisy), noise / variance, people.rows.shape[1])
    question = JointQuestion(partition, centres, plan.reach * variance**0.5, plan.spread, cell_epsilon)
    answers = report_joint(question, then.rows, then.labels, then.mask, cell_source)
    totals = tally_joint(question, np.where(then.mask, np.nan, then.rows), then.mask, answers)
    found = joint_estimate(question, totals, grid, noise / len(noisy))
    return Found(partition, totals, found, label_spread(grid, mechanism, sent), None if share is None else second)
