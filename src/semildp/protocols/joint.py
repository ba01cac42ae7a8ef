"""HistOfTree with cell and label in one report: some send labels, the partition is published, the others send both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, cast

import numpy as np

from semildp._checks import one_of
from semildp.budgets import Budget, check_share
from semildp.curator import JointTerms, grow_partition, joint_estimate, leaf_centres
from semildp.curator.beliefs.partitions import FirstLabels, joint_bars
from semildp.curator.joint import cell_sums
from semildp.curator.label_noise import noisy_labels
from semildp.curator.pair_plan import plan_bins, plan_depth, plan_reach, residual_variance
from semildp.curator.tallies import PairTally
from semildp.curator.waves import Asked, State, Wave
from semildp.masks import Mask
from semildp.mechanisms import LABEL_MECHANISMS, label_grid
from semildp.models import Model
from semildp.partition import SPLITTERS, Shape
from semildp.protocols.asks import ask_label
from semildp.protocols.cohorts import first_people, second_people
from semildp.protocols.hist_of_tree import cell_model, check_hidden
from semildp.protocols.shapes import Auto, planned_shape
from semildp.study import Study
from semildp.wire.messages import AskPair, Question


@dataclass(frozen=True)
class Joint:
    """Cell and label together. Settings are those of `HistOfTreeRegressor`.

    Wave 1: a share of the people send a label. Wave 2: the others send (cell, residual); what the first wave predicts
    in each leaf is public by then. With participation "both", everyone answers in both waves and epsilon is divided.
    """

    n_histogram_features: Auto = "auto"
    depth: Auto = "auto"
    bins: Auto = "auto"
    splitter: str = "max-edge"
    label_mechanism: str = "window"
    first_share: float = 1 / 3
    label_share: float = 1 / 3
    bias_weight: float = 0.01

    streams: ClassVar[tuple[str, ...]] = ("fill", "label", "tree", "cell", "cohort")

    def __post_init__(self) -> None:
        one_of("splitter", self.splitter, SPLITTERS)
        one_of("label_mechanism", self.label_mechanism, tuple(LABEL_MECHANISMS))
        check_share("first_share", self.first_share)

    def next(self, state: State) -> Wave | Model:
        """Ask for labels, then for cells and residuals, then shrink."""
        check_hidden(state.study, self.splitter)
        label_epsilon, pair_epsilon = epsilons(state.study, self.label_share)
        if not state.done:
            label = ask_label(self.label_mechanism, *state.study.label_bounds, label_epsilon)
            first = first_people(state, self.first_share)
            return Wave("label", (Asked(Question(state.study.digest, 1, (label,)), first),))
        if len(state.done) == 1:
            return self._ask_pairs(state, label_epsilon, pair_epsilon)
        done = state.done[1]
        ask, facts = cast(AskPair, done.wave.asked[0].question.asks[0]), done.wave.facts
        terms = JointTerms.of(ask, state.study.bounds, facts["spread"])
        grid = label_grid(self.label_mechanism, *state.study.label_bounds, label_epsilon)
        found = joint_estimate(terms, done.totals, grid, facts["prior"])
        bars = joint_bars(state.study, terms, cell_sums(terms, done.totals), facts["first"], found.values)
        return cell_model(state.study, ask.partition, found, *bars)

    def _ask_pairs(self, state: State, label_epsilon: float, epsilon: float) -> Wave:
        study, first, then = state.study, state.done[0].wave.asked[0].people, second_people(state)
        asked, sent = state.enrolled[first], state.done[0].answers[0][0].value
        grid = label_grid(self.label_mechanism, *study.label_bounds, label_epsilon)
        labels, noise = noisy_labels(self.label_mechanism, grid, label_epsilon, sent)
        variance = residual_variance(grid, labels - labels.mean(), noise)
        shape = self._shape(state.enrolled.mask, len(then), epsilon, len(labels) * variance / noise)
        partition = grow_partition(study, asked, sent, shape, self.splitter, state.sources["tree"])
        centres = np.clip(leaf_centres(partition, asked, labels, noise), grid.low, grid.high)
        people = state.enrolled[then]
        typical = int(np.median(partition.count(people.public, people.mask))) if len(then) else 1
        n_public = len(study.features) - shape.n_histogram_features
        reach, spread = plan_reach(len(then), typical, epsilon, len(labels), noise / variance, n_public)
        terms = JointTerms(partition, centres, reach * variance**0.5, spread, epsilon)
        question = Question(study.digest, 2, (terms.ask(people),))
        facts = {"shape": shape, "spread": spread, "prior": noise / len(labels)}
        facts["first"] = FirstLabels.of(study, asked, labels, noise, variance)
        return Wave("cell", (Asked(question, then),), self.tally(study, question, facts), facts)

    def tally(self, study: Study, question: Question, facts: Mapping[str, Any]) -> PairTally | None:
        """Add up cells and residuals."""
        ask = question.asks[0]
        return PairTally(JointTerms.of(ask, study.bounds, facts["spread"])) if isinstance(ask, AskPair) else None

    def _shape(self, mask: Mask, n_asked: int, epsilon: float, first: float) -> Shape:
        """Choose depth and bins by what both waves tell, the number of histogram features by the paper.

        `first` is the precision of the first wave's labels, in units of one over the label's variance.
        """
        depth = partial(plan_depth, n_asked, epsilon, first)
        return planned_shape(self, mask, epsilon, depth, lambda s, p: plan_bins(n_asked, s, p, epsilon, first))


def epsilons(study: Study, label_share: float) -> tuple[float, float]:
    """Return what the two waves spend: all of epsilon each if people visit once, else its two parts."""
    budget = Budget(study.epsilon, label_share)
    return (study.epsilon, study.epsilon) if study.participation == "split" else (budget.label, budget.cell)
