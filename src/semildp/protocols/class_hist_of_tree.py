"""HistOfTree for classes, as the paper does it: everyone sends a class, the partition is published, then a cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast

from semildp._checks import one_of
from semildp.budgets import Budget
from semildp.curator.class_ratios import ratio_estimate
from semildp.curator.estimate import read_min_count
from semildp.curator.partitioning import grow_partition
from semildp.curator.tallies import ClassCellTally
from semildp.curator.waves import Asked, State, Wave
from semildp.mechanisms import CELL_MECHANISMS, ClassResponse
from semildp.models import Model
from semildp.partition import SPLITTERS, Partition, Tree
from semildp.protocols.asks import ask_cell
from semildp.protocols.class_joint import class_cell_model, mark_matrix
from semildp.protocols.hist_of_tree import check_apart, check_hidden
from semildp.protocols.shapes import Auto, choose_shape
from semildp.study import Study
from semildp.wire.forms import by_size, partition_message, read_partition
from semildp.wire.messages import AskCell, AskClass, Question


@dataclass(frozen=True)
class ClassHistOfTree:
    """The paper's method for classes. Settings are those of `HistOfTreeClassifier`.

    Wave 1: the class with `label_share` of epsilon, by generalised response. Wave 2: the cell with the rest. The
    partition depends on the first wave's reports alone, which are private already.
    """

    n_histogram_features: Auto = "auto"
    depth: Auto = "auto"
    bins: Auto = "auto"
    splitter: str = "max-edge"
    cell_mechanism: str = "grr"
    label_share: float = 0.5
    bias_weight: float = 0.01
    min_count: float | str = "auto"

    streams: ClassVar[tuple[str, ...]] = ("fill", "label", "tree", "cell", "cohort")

    def __post_init__(self) -> None:
        one_of("splitter", self.splitter, SPLITTERS)
        one_of("cell_mechanism", self.cell_mechanism, tuple(CELL_MECHANISMS))
        read_min_count(self.min_count)

    def next(self, state: State) -> Wave | Model:
        """Ask for classes, then for cells, then divide unbiased sums by counts."""
        study, budget = state.study, Budget(state.study.epsilon, self.label_share)
        check_apart(study)
        check_hidden(study, self.splitter)
        if not state.done:
            question = Question(study.digest, 1, (self._ask_class(study, budget.label),))
            return Wave("label", (Asked(question, state.everyone()),))
        if len(state.done) == 1:
            return self._ask_cells(state, budget)
        return self._model(state, budget)

    def _response(self, study: Study, epsilon: float) -> ClassResponse:
        return ClassResponse(epsilon, 1, len(study.classes), "generalised")

    def _ask_class(self, study: Study, epsilon: float) -> AskClass:
        mechanisms = by_size([(1, self._response(study, epsilon).mechanism)])
        return AskClass(partition_message(Partition(study.bounds, (), (), Tree())), mechanisms, epsilon)

    def _ask_cells(self, state: State, budget: Budget) -> Wave:
        """Ask those whose class was accepted."""
        study, people = state.study, state.done[0].wave.asked[0].people
        marks = mark_matrix(state.done[0].answers[0][0], len(study.classes))
        enrolled, shape = state.enrolled[people], choose_shape(self, state.enrolled.mask, study.epsilon)
        partition = grow_partition(study, enrolled, marks, shape, self.splitter, state.sources["tree"])
        question = Question(study.digest, 2, (ask_cell(partition, self.cell_mechanism, budget.cell, enrolled),))
        return Wave("cell", (Asked(question, people),), None, {"shape": shape})

    def _model(self, state: State, budget: Budget) -> Model:
        study = state.study
        ask = cast(AskCell, state.done[1].wave.asked[0].question.asks[0])
        partition = read_partition(ask.partition, study.bounds)
        totals = state.scan(1, ClassCellTally(partition, len(study.classes)))
        weights = CELL_MECHANISMS[self.cell_mechanism].weights(budget.cell)
        response = self._response(study, budget.label)
        return class_cell_model(
            study, ask.partition, ratio_estimate(partition, totals.of_class, weights, response, self.min_count)
        )
