"""KRR: each private feature's bin and the label are randomised apart, then an ordinary tree is fitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from semildp._arrays import Floats, Ints
from semildp._checks import whole_number
from semildp.budgets import equal_part
from semildp.curator.trees import fit_tree
from semildp.curator.waves import Asked, State, Wave
from semildp.domains import LabelGrid
from semildp.mechanisms import DiscreteLaplace, GeneralisedResponse
from semildp.models import Model, model_of
from semildp.study import Study
from semildp.wire.forms import mechanism_message
from semildp.wire.messages import Ask, AskBins, AskLabel, Question


@dataclass(frozen=True)
class RandomizedFeatures:
    """The paper's KRR. Who hides m features spends epsilon / (m + 1) on each of them and on the label.

    The paper does not say how epsilon is divided; so divided, the joint guarantee is that of the other protocols. A
    category is sent as one of its values.
    """

    bins: int = 3
    max_depth: Any = 4
    min_samples_leaf: Any = 10

    streams: ClassVar[tuple[str, ...]] = ("fill", "features", "tree")

    def __post_init__(self) -> None:
        whole_number("bins", self.bins, 2, 2**20)

    def next(self, state: State) -> Wave | Model:
        """Ask everybody for everything, then fit the tree."""
        if not state.done:
            return self._ask(state)
        study, columns = state.study, tuple(range(len(state.study.features)))
        grid = LabelGrid.for_epsilon(*study.label_bounds, study.epsilon)
        sent, labels = self._received(state)
        body = fit_tree(
            sent, grid.decode(labels), columns, state.sources["tree"], self.max_depth, self.min_samples_leaf
        )
        return model_of(study, body)

    def _ask(self, state: State) -> Wave:
        hidden, asked = state.enrolled.mask.sum(axis=1), list[Asked]()
        for m in np.unique(hidden):
            question = Question(state.study.digest, 1, self._asks(state.study, int(m)))
            asked.append(Asked(question, np.flatnonzero(hidden == m)))
        return Wave("features", tuple(asked))

    def _asks(self, study: Study, n_hidden: int) -> tuple[Ask, ...]:
        part = equal_part(study.epsilon, n_hidden + 1)
        (low, high), grid = study.label_bounds, LabelGrid.for_epsilon(*study.label_bounds, study.epsilon)
        label = AskLabel(low, high, "nearest", mechanism_message(DiscreteLaplace(part, grid.steps)), part)
        if not n_hidden:
            return (label,)
        responses = [mechanism_message(GeneralisedResponse(part, int(b))) for b in self._bins(study)]
        return label, AskBins(tuple(responses), part)

    def _bins(self, study: Study) -> Ints:
        return np.array([values or self.bins for values in study.n_values])

    def _received(self, state: State) -> tuple[Floats, Ints]:
        """Return features with private ones replaced by the middle of the reported bin, and noisy labels.

        People whose report was refused are left out.
        """
        bounds, bins = state.study.bounds, self._bins(state.study)
        low, high = np.asarray(bounds.low), np.asarray(bounds.high)
        sent, labels = state.enrolled.public.copy(), np.zeros(len(state.enrolled), dtype=np.int64)
        for asked, answers in zip(state.done[0].wave.asked, state.done[0].answers, strict=True):
            labels[asked.people] = answers[0].value
            if len(answers) > 1:
                place, feature = np.nonzero(state.enrolled.mask[asked.people])
                middle = low[feature] + (answers[1].value + 0.5) / bins[feature] * (high - low)[feature]
                sent[asked.people[place], feature] = middle
        people = np.sort(np.concatenate([asked.people for asked in state.done[0].wave.asked]))
        return sent[people], labels[people]
