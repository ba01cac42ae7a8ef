"""Hist: everything is private; everyone sends a noisy indicator and a noisy label for every cell of a histogram."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from semildp._checks import finite_number
from semildp.curator.tallies import HistogramTally, HistogramTotals
from semildp.curator.waves import Asked, State, Wave
from semildp.domains import LabelGrid
from semildp.errors import InputError
from semildp.mechanisms import DiscreteLaplace
from semildp.models import CellBody, Model, model_of
from semildp.partition import Partition, Shape, Tree
from semildp.study import Study
from semildp.wire.forms import mechanism_message, partition_message, read_partition
from semildp.wire.messages import AskHistogram, Question


@dataclass(frozen=True)
class PrivateHistogram:
    """The paper's Hist, with `bins` per feature (a category: one per value) and its threshold zeta.

    References
    ----------
    Berrett, Györfi and Walk (2021), "Strongly universally consistent nonparametric regression and classification with
    privatised data".
    """

    bins: int = 2
    threshold: float = 0.01

    streams: ClassVar[tuple[str, ...]] = ("fill", "histogram")

    def next(self, state: State) -> Wave | Model:
        """Ask everybody, then divide noisy label sums by noisy masses."""
        study = state.study
        if not study.hide_mask:
            raise InputError("Everything is private in a private histogram: the study must have hide_mask = true.")
        grid = LabelGrid.for_epsilon(*study.label_bounds, study.epsilon)
        if state.done:
            return self._model(state, grid)
        finite_number("threshold", self.threshold)
        partition = self._partition(study)
        epsilon, low, high = study.epsilon, *study.label_bounds
        ask = AskHistogram(
            partition_message(partition),
            low,
            high,
            mechanism_message(DiscreteLaplace(epsilon / 4, grid.steps)),
            mechanism_message(DiscreteLaplace(epsilon / 2, grid.steps)),
            epsilon,
        )
        question = Question(study.digest, 1, (ask,))
        return Wave("histogram", (Asked(question, state.everyone()),), self.tally(study, question, {}))

    def tally(self, study: Study, question: Question, facts: Mapping[str, Any]) -> HistogramTally:
        """Add up the numbers of every cell."""
        ask = cast(AskHistogram, question.asks[0])
        return HistogramTally(read_partition(ask.partition, study.bounds).n_cells)

    def _partition(self, study: Study) -> Partition:
        Shape(len(study.features), 0, self.bins)
        bins = tuple(values or self.bins for values in study.n_values)
        return Partition(study.bounds, tuple(range(len(study.features))), bins, Tree())

    def _model(self, state: State, grid: LabelGrid) -> Model:
        totals: HistogramTotals = state.done[0].totals
        (mass_total, label_total), n = totals.sums, totals.n_people
        mass = mass_total / (grid.steps * n)
        heavy = mass >= max(self.threshold, np.finfo(float).tiny)
        label = np.divide(label_total / n, mass, out=np.zeros(len(mass)), where=heavy)
        values = np.clip(grid.decode(label + grid.steps // 2), grid.low, grid.high)
        ask = cast(Any, state.done[0].wave.asked[0].question.asks[0])
        levels = tuple(np.where(heavy, 0, 1).tolist())
        body = CellBody(ask.partition, tuple(values.tolist()), tuple((mass * n).tolist()), levels)
        return model_of(state.study, body)
