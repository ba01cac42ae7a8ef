"""HistOfTree, the paper's protocol: everyone sends a label, the partition is published, everyone sends a cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from semildp._arrays import Floats
from semildp._checks import one_of
from semildp.budgets import Budget
from semildp.curator import Estimate, estimate, grow_partition, read_min_count
from semildp.curator.beliefs.paper import paper_bars
from semildp.curator.tallies import CellTally
from semildp.curator.waves import Asked, State, Wave
from semildp.errors import InputError
from semildp.mechanisms import CELL_MECHANISMS, LABEL_MECHANISMS, label_grid
from semildp.models import CellBody, Model, model_of
from semildp.models.bars import Bars
from semildp.partition import SPLITTERS
from semildp.protocols.asks import ask_cell, ask_label
from semildp.protocols.shapes import Auto, choose_shape
from semildp.study import Study
from semildp.wire.forms import read_partition
from semildp.wire.messages import AskCell, Partition, Question


@dataclass(frozen=True)
class HistOfTree:
    """The paper's method. Settings are those of `HistOfTreeRegressor`.

    Wave 1: the label with `label_share` of epsilon. Wave 2: the cell with the rest. The partition depends on the first
    wave's reports alone, which are private already.
    """

    n_histogram_features: Auto = "auto"
    depth: Auto = "auto"
    bins: Auto = "auto"
    splitter: str = "max-edge"
    label_mechanism: str = "laplace"
    cell_mechanism: str = "grr"
    label_share: float = 0.5
    bias_weight: float = 0.01
    min_count: float | str = "auto"

    streams: ClassVar[tuple[str, ...]] = ("fill", "label", "tree", "cell", "cohort")

    def __post_init__(self) -> None:
        one_of("splitter", self.splitter, SPLITTERS)
        one_of("label_mechanism", self.label_mechanism, tuple(LABEL_MECHANISMS))
        one_of("cell_mechanism", self.cell_mechanism, tuple(CELL_MECHANISMS))
        read_min_count(self.min_count)

    def next(self, state: State) -> Wave | Model:
        """Ask for labels, then for cells, then divide sums of noisy labels by counts."""
        study, budget = state.study, Budget(state.study.epsilon, self.label_share)
        check_apart(study)
        check_hidden(study, self.splitter)
        if not state.done:
            ask = ask_label(self.label_mechanism, *study.label_bounds, budget.label)
            question = Question(study.digest, 1, (ask,))
            return Wave("label", (Asked(question, state.everyone()),))
        if len(state.done) == 1:
            return self._ask_cells(state, budget)
        return self._model(state, budget)

    def _ask_cells(self, state: State, budget: Budget) -> Wave:
        """Ask those whose label was accepted."""
        people, sent = state.done[0].wave.asked[0].people, state.done[0].answers[0][0].value
        enrolled = state.enrolled[people]
        shape = choose_shape(self, state.enrolled.mask, state.study.epsilon)
        partition = grow_partition(state.study, enrolled, sent, shape, self.splitter, state.sources["tree"])
        ask = ask_cell(partition, self.cell_mechanism, budget.cell, enrolled)
        question = Question(state.study.digest, 2, (ask,))
        return Wave("cell", (Asked(question, people),), self.tally(state.study, question, {}), {"shape": shape})

    def tally(self, study: Study, question: Question, facts: Mapping[str, Any]) -> CellTally | None:
        """Add up cells, with the labels that the same people sent before."""
        ask = question.asks[0]
        return CellTally(read_partition(ask.partition, study.bounds)) if isinstance(ask, AskCell) else None

    def _model(self, state: State, budget: Budget) -> Model:
        study, done = state.study, state.done[1]
        ask = cast(AskCell, done.wave.asked[0].question.asks[0])
        grid = label_grid(self.label_mechanism, *study.label_bounds, budget.label)
        label = LABEL_MECHANISMS[self.label_mechanism](budget.label, grid.steps)
        weights = CELL_MECHANISMS[self.cell_mechanism].weights(budget.cell)
        partition = read_partition(ask.partition, study.bounds)
        found = estimate(partition, done.totals, weights, grid, self.min_count, label.estimate)
        bars = paper_bars(study, partition, done.totals, weights, grid, label, found.values)
        return cell_model(study, ask.partition, found, *bars)


def check_apart(study: Study) -> None:
    """Refuse to ask people once where label and cell are sent apart."""
    if study.participation != "both":
        raise InputError(
            "`participation` must be 'both' where label and cell are sent apart: a report needs the person's label "
            "too. Got 'split'. Ask for both together with cell_mechanism='joint'."
        )


def check_hidden(study: Study, splitter: str) -> None:
    """Refuse a splitter that needs public features where there are none."""
    if study.hide_mask and splitter == "cart":
        raise InputError(
            "`splitter` must be 'random' or 'max-edge' with hide_mask=True. Got 'cart': it needs public features."
        )


def cell_model(
    study: Study, partition: Partition, found: Estimate, bars: Bars | None = None, variances: Floats | None = None
) -> Model:
    """Put what was found of the cells into a model."""
    values, counts, levels = (tuple(part.tolist()) for part in (found.values, found.counts, found.level))
    spread = None if variances is None else tuple(variances.tolist())
    return model_of(study, CellBody(partition, values, counts, levels, spread, bars))
