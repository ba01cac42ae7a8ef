"""ParDT and LabelDT: everyone sends a label with all of epsilon, and an ordinary tree is grown on what is public."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from semildp._arrays import Floats
from semildp.curator.newcomers import Choice, Rule
from semildp.curator.trees import fit_tree
from semildp.curator.waves import Asked, State, Wave
from semildp.domains import LabelGrid
from semildp.errors import InputError
from semildp.models import Model, model_of
from semildp.protocols.asks import ask_label
from semildp.wire.messages import Question


@dataclass(frozen=True)
class PublicTree:
    """The paper's ParDT. Private entries are missing values to the tree; features that everyone hides are left out."""

    max_depth: Any = 4
    min_samples_leaf: Any = 10

    streams: ClassVar[tuple[str, ...]] = ("fill", "label", "tree")

    def next(self, state: State) -> Wave | Model:
        """Ask for labels, then fit the tree."""
        study = state.study
        if not state.done:
            question = Question(study.digest, 1, (ask_label("laplace", *study.label_bounds, study.epsilon),))
            if state.expected is None:
                return Wave("label", (Asked(question, state.everyone()),))
            return Wave("label", (), None, {}, Rule((Choice(question),)), state.expected)
        grid = LabelGrid.for_epsilon(*study.label_bounds, study.epsilon)
        labels: Floats = grid.decode(state.done[0].answers[0][0].value)
        enrolled = state.enrolled[state.done[0].wave.asked[0].people]
        columns = tuple(np.flatnonzero(~enrolled.mask.all(axis=0)).tolist())
        body = fit_tree(enrolled.public, labels, columns, state.sources["tree"], self.max_depth, self.min_samples_leaf)
        return model_of(study, body)


@dataclass(frozen=True)
class LabelTree(PublicTree):
    """The paper's LabelDT: the same, where nobody hides a feature."""

    def next(self, state: State) -> Wave | Model:
        """Refuse private features; then as ParDT."""
        if state.enrolled.mask.any():
            raise InputError(
                "LabelTreeRegressor keeps only the label private. Got a mask with private features; "
                "leave the mask out if they may be public, or use HistOfTreeRegressor."
            )
        return super().next(state)
