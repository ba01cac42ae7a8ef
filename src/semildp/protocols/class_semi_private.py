"""SemiPrivate where labels are classes: some send their class, others, in waves, their class with private bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from semildp._kernels.threads import in_threads
from semildp.budgets import Budget, check_share
from semildp.curator.class_waves import Bodies, Evidence, check_class_learner, evidence_of, judge, plan_classes
from semildp.curator.effects.learning import NOTHING_LEARNT, LearntEffects
from semildp.curator.effects.people import Chosen, batches
from semildp.curator.newcomers import Choice, Rule, draw_questions
from semildp.curator.noisy import PILOT, Learnt
from semildp.curator.wave_menu import Asking
from semildp.curator.wave_plan import Plan, looked_for
from semildp.curator.waves import Asked, State, Wave
from semildp.errors import InputError
from semildp.models import Model, model_of
from semildp.models.belief import Belief
from semildp.models.classes import ClassesBody
from semildp.partition import Partition, Tree
from semildp.protocols.asks import ask_class
from semildp.protocols.cohorts import Stage, stages
from semildp.protocols.joint import epsilons
from semildp.wire.messages import Question

PLANNED = 3  # classes, the largest, by which waves are planned: time


@dataclass(frozen=True)
class SemiPrivateClasses:
    """Settings are those of `SemiPrivateClassifier`.

    First a share of the people send their class. Then, in waves, people send their class with the bin of a private
    feature, or the joint bins of two, or alone, whichever is expected to leave the least error over all classes.

    Parameters
    ----------
    first_share
        Where everyone visits once: share of the people who are asked for the class alone.
    label_share
        Where everyone is asked twice: share of epsilon that the class alone gets.
    learner
        A scikit-learn regressor, or a classifier with predict_proba, for public features; None is the default.
    """

    first_share: float = 1 / 3
    label_share: float = 1 / 3
    learner: Any = None

    streams: ClassVar[tuple[str, ...]] = ("fill", "cohort", "label", "pair")

    def __post_init__(self) -> None:
        check_class_learner(self.learner)
        check_share("first_share", self.first_share)

    def next(self, state: State) -> Wave | Model:
        """Ask for classes, then for classes with private bins, then put everything together."""
        Budget(state.study.epsilon, self.label_share)
        if not state.done:
            cohorts = self._stages(state)
            return self._ask(state, cohorts[0], Plan(((Asking(), 1.0),), 1.0, np.inf), {"cohorts": cohorts})
        cohorts = state.done[0].wave.facts["cohorts"]
        if len(state.done) == len(cohorts):
            return self._model(state)
        left = sum(len(stage.people) for stage in cohorts[len(state.done) :])
        return self._ask_planned(state, cohorts[len(state.done)], left)

    def _stages(self, state: State) -> tuple[Stage, ...]:
        """Divide those who are enrolled, at random; or those who are expected, in the order in which they will come."""
        both = state.study.participation == "both"
        if state.expected is None:
            source = state.sources["cohort"]
            return stages(source, len(state.enrolled), self.first_share, both=both, find_place=False)
        if both:
            raise InputError("People who are asked twice must be enrolled before the first wave. Got newcomers.")
        return stages(None, state.expected, self.first_share, both=False, find_place=False)

    def _ask_planned(self, state: State, stage: Stage, n_left: int) -> Wave:
        """Ask what is expected to leave the least error, of all who are still to come."""
        evidence = evidence_of(state, self.learner).of_largest(PLANNED)
        _, epsilon = epsilons(state.study, self.label_share)
        learnt, found = evidence.learn(PILOT), None
        if len(state.done) > 1:
            found = evidence.effects(learnt, self._looked_for(state, evidence))
        plan = plan_classes(evidence, learnt, found, len(stage.people) if found is None else n_left, epsilon)
        units = [each.left_variance(state.enrolled) for each in learnt]
        return self._ask(state, stage, plan, {"units": units, "found": found})

    def _looked_for(self, state: State, evidence: Evidence) -> tuple[int, ...]:
        return looked_for(evidence.private, evidence.told, state.done[-1].wave.facts["plan"])

    def _ask(self, state: State, stage: Stage, plan: Plan, facts: dict[str, Any]) -> Wave:
        """Draw for each person which question of the plan they are asked, among those about features they hide."""
        stream = "label" if stage.asks == "label" else "pair"
        choices, facts = self._choices(state, stage, plan), {**facts, "plan": plan, "stage": stage}
        if state.expected is not None:
            return Wave(stream, (), None, facts, Rule(choices), len(stage.people))
        asks = [(asking.features, share) for asking, share in plan.asks]
        source, everyone = state.sources["cohort"], batches(Chosen(state.enrolled, stage.people))
        which = np.concatenate([draw_questions(source, some.mask, asks).astype(np.int16) for _, some in everyone])
        # -1, the last of the choices, is for those whom no question of the plan fits
        asked = tuple(Asked(choices[k].question, stage.people[which == k]) for k in np.unique(which).tolist())
        return Wave(stream, asked, None, facts)

    def _choices(self, state: State, stage: Stage, plan: Plan) -> tuple[Choice, ...]:
        """Return the questions of the plan; the last, for those whom none of them fits, asks for the class alone."""
        study, wave = state.study, len(state.done) + 1
        epsilon = epsilons(study, self.label_share)[0 if stage.asks == "label" else 1]
        found = []
        for asking, share in (*plan.asks, (Asking(), 0.0)):
            cells = Partition(study.bounds, asking.features, asking.bins, Tree())
            ask = ask_class(study, cells, epsilon, (asking.n_cells,))
            found.append(Choice(Question(study.digest, wave, (ask,)), asking.features, share))
        return tuple(found)

    def _model(self, state: State) -> Model:
        """Learn from all reports, and trust it as far as people bear it out whose reports it was not learnt from.

        Of more than two classes, effects of private features are learnt once, from everybody: they are few numbers,
        shrunk already, and take most of the time.
        """
        evidence = evidence_of(state, self.learner)
        features = self._looked_for(state, evidence)
        learnt = evidence.learn()
        effects = _effects(evidence, learnt, features)

        def bodies(some: Evidence) -> Bodies:
            own = some.learn()
            return _joined(own, _effects(some, own, features) if evidence.n_classes == 2 else effects)

        trust = judge(evidence, bodies)
        beliefs = in_threads(each.belief for each in learnt)
        prior, body = tuple(evidence.prior.tolist()), _joined(learnt, effects, beliefs)
        return model_of(state.study, ClassesBody(prior, trust.trust, trust.floor, body))  # type: ignore[arg-type]


def _effects(evidence: Evidence, learnt: list[Learnt], features: tuple[int, ...]) -> list[LearntEffects]:
    """Return what private features add to each class; nothing if nobody was asked about any."""
    asked = any(group.features for group in evidence.groups if len(group))
    return evidence.effects(learnt, features) if asked else [NOTHING_LEARNT] * len(learnt)


def _joined(learnt: list[Learnt], effects: list[LearntEffects], beliefs: Sequence[Belief | None] = ()) -> Bodies:
    """Return the numbers of every class, with error bars if there are beliefs."""
    every = zip(learnt, effects, beliefs or [None] * len(learnt), strict=True)
    return tuple(each.body(private, belief) for each, private, belief in every)
