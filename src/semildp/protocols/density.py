"""HistOfTree for a density: public features grow the tree, everyone sends a cell with all of epsilon; no label."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, cast

import numpy as np

from semildp._checks import one_of, positive_number, whole_number
from semildp.backends import CHUNK, chunks
from semildp.curator.density import estimate_masses
from semildp.curator.density_plan import (
    BIAS_WEIGHT,
    DEEPEST,
    MOST,
    DensityPlan,
    DensityShape,
    Given,
    cut_tree,
    margin_depth,
    mean_square,
    plan_density,
)
from semildp.curator.density_totals import DensityTally, reached
from semildp.curator.partitioning import MANY, public_rows
from semildp.curator.waves import Asked, State, Wave
from semildp.masks import is_aligned
from semildp.mechanisms import CELL_MECHANISMS
from semildp.models import DensityBody, Model, model_of
from semildp.partition import MAX_CELLS, Partition, SamplesOnDemand, Tree, scan_over
from semildp.partition.uneven import grow_uneven
from semildp.protocols.asks import ask_cell
from semildp.protocols.shapes import Auto, given_shape
from semildp.study import Study
from semildp.wire.columns import Enrolled
from semildp.wire.forms import read_partition
from semildp.wire.messages import AskCell, Question

KINDS = {"generalised": "grr", "binary": "rr"}


@dataclass(frozen=True)
class Density:
    """The density of all features. Settings are those of `HistOfTreeDensity`.

    One wave. What is public of everybody is known before it: the tree is grown, and depth, bins and mechanism are
    chosen, from public features and masks, which costs nobody anything. Then everyone sends their cell.
    """

    n_histogram_features: Auto = "auto"
    depth: Auto = "auto"
    bins: Auto = "auto"
    cell_mechanism: str = "auto"
    bias_weight: float = BIAS_WEIGHT

    streams: ClassVar[tuple[str, ...]] = ("fill", "cell")

    def __post_init__(self) -> None:
        one_of("cell_mechanism", self.cell_mechanism, ("auto", *CELL_MECHANISMS))
        positive_number("bias_weight", self.bias_weight)
        for name, least, most in (("n_histogram_features", 0, 2**31), ("depth", 0, 20), ("bins", 1, MAX_CELLS)):
            value = getattr(self, name)
            if not (isinstance(value, str) and value == "auto"):
                whole_number(name, value, least, most, "Or 'auto'.")

    def next(self, state: State) -> Wave | Model:
        """Ask for cells, then estimate their masses."""
        if state.done:
            return self._model(state)
        study, enrolled = state.study, state.enrolled
        plan = self._plan(study, enrolled)
        partition = _partition(study, enrolled, plan, deepen=self.depth == "auto")
        ask = ask_cell(partition, plan.mechanism, study.epsilon, enrolled)
        question = Question(study.digest, 1, (ask,))
        facts = {
            "shape": DensityShape(len(plan.histogram), partition.tree.depth, plan.shape.bins),
            "mechanism": plan.mechanism,
        }
        return Wave("cell", (Asked(question, state.everyone()),), self.tally(study, question, facts), facts)

    def tally(self, study: Study, question: Question, facts: Mapping[str, Any]) -> DensityTally:
        """Add up cells."""
        ask = cast(AskCell, question.asks[0])
        return DensityTally(read_partition(ask.partition, study.bounds), _mechanism(ask), ask.epsilon)

    def _plan(self, study: Study, enrolled: Enrolled) -> DensityPlan:
        s, p, t = given_shape(self, enrolled.mask) if len(enrolled) else (0, 0, 1)
        mechanism = None if self.cell_mechanism == "auto" else self.cell_mechanism
        given = Given(s, p, t, mechanism, float(self.bias_weight), mean_square(enrolled, study))
        return plan_density(enrolled.mask, study.n_values, study.epsilon, given)

    def _model(self, state: State) -> Model:
        study, done = state.study, state.done[0]
        ask = cast(AskCell, done.wave.asked[0].question.asks[0])
        weights = CELL_MECHANISMS[_mechanism(ask)].weights(ask.epsilon)
        partition = read_partition(ask.partition, study.bounds)
        found = estimate_masses(partition, study.n_values, done.totals, weights)
        body = DensityBody(
            ask.partition,
            tuple(found.masses.tolist()),
            tuple(found.variances.tolist()),
            tuple(found.shares.tolist()),
            tuple(found.share_variances.tolist()),
            tuple(found.bin_variances.tolist()),
            found.root_variance,
        )
        return model_of(study, body)


def _mechanism(ask: AskCell) -> str:
    """Return the name of the mechanism by which everybody sends their cell."""
    return KINDS[next(iter(ask.mechanisms.values())).kind] if ask.mechanisms else "grr"


def _partition(study: Study, enrolled: Enrolled, plan: DensityPlan, *, deepen: bool) -> Partition:
    """Grow the tree; where all hide the same, and so more leaves cost nothing, as deep as public features call for."""
    bins = tuple(study.n_values[j] or plan.shape.bins for j in plan.histogram)
    depth, codes = plan.shape.depth, math.prod(bins)
    if not plan.tree or not len(enrolled):
        return Partition(study.bounds, plan.histogram, bins, Tree())
    deepen = deepen and is_aligned(enrolled.mask)
    room = min(DEEPEST, math.ceil(math.log2(len(enrolled) + 1)), int(math.log2(max(MOST // codes, 1))))
    labels = np.broadcast_to(np.int64(0), len(enrolled))
    batches = [
        SamplesOnDemand(partial(public_rows, enrolled, c), study.bounds, enrolled.mask[c], labels[c], c.start)
        for c in chunks(len(enrolled), max(CHUNK, MANY))
    ]
    tree = grow_uneven(scan_over(*batches), plan.tree, study.n_values, max(depth, room) if deepen else depth)
    if deepen:
        scaled = ((study.bounds.scale(enrolled[c].public), enrolled.mask[c]) for c in chunks(len(enrolled)))
        counts = np.sum([reached(tree, unit, mask) for unit, mask in scaled], axis=0)
        tree = cut_tree(tree, max(depth, margin_depth(tree, counts, study.n_values)))
    return Partition(study.bounds, plan.histogram, bins, tree)
