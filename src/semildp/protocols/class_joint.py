"""HistOfTree for classes, with cell and class in one report: some send the class, the others then send both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, cast

import numpy as np

from semildp._arrays import Floats, Ints
from semildp._checks import one_of
from semildp.budgets import check_share
from semildp.curator.beliefs.class_cells import class_bars
from semildp.curator.beliefs.leaf_people import people_in_leaves
from semildp.curator.class_estimate import ClassEstimate, joint_class_estimate
from semildp.curator.class_plan import class_noise, plan_class_bins, plan_class_depth
from semildp.curator.class_totals import ClassSums, ClassTally, LeafTally
from semildp.curator.class_waves.reports import class_groups
from semildp.curator.joint import LEAST_EPSILON
from semildp.curator.partitioning import candidate_sizes, grow_partition
from semildp.curator.waves import Asked, State, Wave
from semildp.errors import refusal
from semildp.masks import Mask
from semildp.models import Model, model_of
from semildp.models.bars import Bars
from semildp.models.class_cells import ClassCellBody
from semildp.partition import SPLITTERS, Partition, Shape, Tree
from semildp.protocols.asks import ask_class
from semildp.protocols.cohorts import first_people, second_people
from semildp.protocols.hist_of_tree import check_hidden
from semildp.protocols.joint import epsilons
from semildp.protocols.shapes import Auto, planned_shape
from semildp.study import Study
from semildp.wire import messages
from semildp.wire.columns import Marks
from semildp.wire.messages import AskClass, Question


@dataclass(frozen=True)
class ClassJoint:
    """Cell and class together. Settings are those of `HistOfTreeClassifier`.

    Wave 1: a share of the people send their class; a tree is grown from these reports. Wave 2: the others send (cell,
    class). With participation "both", everyone answers in both waves and epsilon is divided.
    """

    n_histogram_features: Auto = "auto"
    depth: Auto = "auto"
    bins: Auto = "auto"
    splitter: str = "max-edge"
    first_share: float = 1 / 3
    label_share: float = 1 / 3
    bias_weight: float = 0.01

    streams: ClassVar[tuple[str, ...]] = ("fill", "label", "tree", "cell", "cohort")

    def __post_init__(self) -> None:
        one_of("splitter", self.splitter, SPLITTERS)
        check_share("first_share", self.first_share)

    def next(self, state: State) -> Wave | Model:
        """Ask for classes, then for cells and classes, then shrink."""
        study = state.study
        check_hidden(study, self.splitter)
        alone, joint = epsilons(study, self.label_share)
        if min(alone, joint) < LEAST_EPSILON:
            raise refusal("epsilon", f"at least {LEAST_EPSILON:g} in joint reports of cell and class", repr(alone))
        if not state.done:
            question = Question(study.digest, 1, (ask_class_alone(study, alone),))
            return Wave("label", (Asked(question, first_people(state, self.first_share)),))
        if len(state.done) == 1:
            return self._ask_cells(state, alone, joint)
        return self._model(state)

    def _ask_cells(self, state: State, alone: float, joint: float) -> Wave:
        study, first, then = state.study, state.done[0].wave.asked[0].people, second_people(state)
        precision = len(first) / class_noise(alone, 1, len(study.classes))
        shape = self._shape(state.enrolled.mask, len(then), joint, len(study.classes), precision)
        marks = mark_matrix(state.done[0].answers[0][0], len(study.classes))
        partition = grow_partition(study, state.enrolled[first], marks, shape, self.splitter, state.sources["tree"])
        sizes = candidate_sizes(partition, state.enrolled[then])
        question = Question(study.digest, 2, (ask_class(study, partition, joint, sizes or [1]),))
        return Wave("cell", (Asked(question, then),), None, {"shape": shape})

    def _shape(self, mask: Mask, n_asked: int, epsilon: float, n_classes: int, first: float) -> Shape:
        """Choose depth and bins by what both waves tell, the number of histogram features by the paper.

        `first` is the precision of the first wave's reports, in units of one over the variance of 1{class}.
        """
        depth = partial(plan_class_depth, n_asked, epsilon, n_classes, first)
        return planned_shape(
            self, mask, epsilon, depth, lambda s, p: plan_class_bins(n_asked, s, p, epsilon, n_classes, first)
        )

    def _model(self, state: State) -> Model:
        study = state.study
        asks = [cast(AskClass, done.wave.asked[0].question.asks[0]) for done in state.done]
        tally = ClassTally(asks[1], study)
        totals = state.scan(1, tally)
        first = state.scan(0, LeafTally(tally.partition, len(study.classes)))
        alone = ClassTally(asks[0], study).response(1)
        found = joint_class_estimate(tally.partition, first, alone, totals, tally.unit)
        sums, group = ClassSums.of(totals, tally.unit), next(class_groups(state))
        leaves = people_in_leaves(tally.partition, state.enrolled[state.done[1].wave.asked[0].people], tally.weigh)
        bars = class_bars(study, tally.partition, state.enrolled, group, sums, leaves, found.prior, found.probabilities)
        return class_cell_model(study, asks[1].partition, found, *bars)


def ask_class_alone(study: Study, epsilon: float) -> AskClass:
    """Ask for the class."""
    return ask_class(study, Partition(study.bounds, (), (), Tree()), epsilon, [1])


def mark_matrix(marks: Marks, n_classes: int) -> Ints:
    """Return 1 where a person (row) marked a class (column), else 0: what a tree is grown from.

    The unbiased 1{class} is the same but for a factor and a constant.
    """
    out = np.zeros((len(marks), n_classes), dtype=np.int64)
    out[marks.person, marks.value] = 1
    return out


def class_cell_model(
    study: Study,
    partition: messages.Partition,
    found: ClassEstimate,
    bars: tuple[Bars, ...] = (),
    variances: Floats | None = None,
) -> Model:
    """Put what was found of the cells into a model, with what error bars are made of."""

    def rows(table: np.ndarray) -> tuple[tuple[float, ...], ...]:
        return tuple(map(tuple, table.tolist()))

    body = ClassCellBody(
        partition,
        tuple(found.prior.tolist()),
        found.strength,
        rows(found.probabilities),
        tuple(found.counts.tolist()),
        None if variances is None else rows(variances),
        bars,
    )
    return model_of(study, body)
