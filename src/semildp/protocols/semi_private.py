"""SemiPrivate: people are asked in waves, each for what is expected to help most, judged from reports so far."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from semildp._arrays import Floats
from semildp._kernels.blas import one_blas_thread
from semildp._kernels.threads import together
from semildp.budgets import Budget, check_share
from semildp.curator.effects.factors import PLACES, ROUGH
from semildp.curator.effects.fitting import PAIRED
from semildp.curator.effects.learning import NOTHING_LEARNT, LearntEffects, learn_effects
from semildp.curator.effects.people import Chosen, batches
from semildp.curator.label_law import place_ask
from semildp.curator.learning import check_learner
from semildp.curator.newcomers import Choice, Rule, draw_questions
from semildp.curator.noisy import PILOT, Learnt, NoisyLabels
from semildp.curator.wave_evidence import answered_pairs, hidden_by_most, law_of, leaning, pooled, told_about
from semildp.curator.wave_menu import Asking
from semildp.curator.wave_plan import PLANNED_PAIRS, Known, Plan, looked_for, nothing_known, plan_question
from semildp.curator.waves import Asked, State, Wave
from semildp.errors import InputError
from semildp.models import Model, model_of
from semildp.protocols.asks import ask_label, ask_residual
from semildp.protocols.cohorts import Stage, stages
from semildp.protocols.joint import epsilons
from semildp.wire.messages import AskLabel, Question

AT_ONCE = 1 << 20  # people up to whom error bars are learnt beside effects; of more, both at once hold much memory


@dataclass(frozen=True)
class SemiPrivate:
    """Settings are those of `SemiPrivateRegressor`.

    Labels first: a few people are asked within the bounds, the next in the narrower window where labels seem to lie.
    Then residuals: people send how far their label lies from the public prediction so far, with the bin of a private
    feature, the joint bins of two, turned round by where these lie, or alone, whichever is expected to leave the least
    error. Two of these waves probe; what they show decides about the next.

    Parameters
    ----------
    first_share
        Where everyone visits once: share of the people who are asked for labels; of few people it is more.
    label_share
        Where everyone is asked for both: share of epsilon that the label gets.
    learner
        A scikit-learn regressor for public features and noisy labels; None is the default.
    """

    first_share: float = 0.2
    label_share: float = 1 / 3
    learner: Any = None

    streams: ClassVar[tuple[str, ...]] = ("fill", "cohort", "label", "pair")

    def __post_init__(self) -> None:
        check_learner(self.learner)
        check_share("first_share", self.first_share)

    def next(self, state: State) -> Wave | Model:
        """Ask for labels, then for residuals, then put everything together."""
        Budget(state.study.epsilon, self.label_share)
        if not state.done:
            cohorts = self._stages(state)
            return self._ask_labels(state, cohorts, {"cohorts": cohorts})
        cohorts = state.done[0].wave.facts["cohorts"]
        stage = cohorts[len(state.done)] if len(state.done) < len(cohorts) else None
        if stage is None:
            learnt = self._labels(state).learn()
            if len(state.enrolled) <= AT_ONCE:
                with one_blas_thread():  # said here: a thread of the pool may have no say in it
                    effects, belief = together(partial(self._effects, state, learnt), learnt.belief)
            else:
                effects, belief = self._effects(state, learnt), learnt.belief()
            return model_of(state.study, learnt.body(effects, belief))
        if stage.asks == "label":
            return self._ask_labels(state, cohorts, {})
        return self._ask_residuals(state, stage.people, sum(len(s.people) for s in cohorts[len(state.done) :]))

    def _stages(self, state: State) -> tuple[Stage, ...]:
        """Divide those who are enrolled, at random; or those who are expected, in the order in which they will come."""
        both = state.study.participation == "both"
        if state.expected is None:
            return stages(state.sources["cohort"], len(state.enrolled), self.first_share, both=both)
        if both:
            raise InputError("People who are asked twice must be enrolled before the first wave. Got newcomers.")
        return stages(None, state.expected, self.first_share, both=False)

    def _ask_labels(self, state: State, cohorts: Any, facts: dict[str, Any]) -> Wave:
        """Ask for labels, in the window where earlier ones seem to lie."""
        study, stage = state.study, cohorts[len(state.done)]
        epsilon, _ = epsilons(study, self.label_share)
        low, high = study.label_bounds
        if state.done:
            rest = sum(len(s.people) for s in cohorts[len(state.done) :] if s.asks == "label")
            low, high = law_of(state).window(epsilon, rest)
        ask: AskLabel = place_ask(low, high, epsilon) if stage.finds_place else ask_label("window", low, high, epsilon)
        question = Question(study.digest, len(state.done) + 1, (ask,))
        facts = {**facts, "stage": stage}
        if state.expected is None:
            return Wave("label", (Asked(question, stage.people),), None, facts, small=True)
        return Wave("label", (), None, facts, Rule((Choice(question),)), len(stage.people))

    def _labels(self, state: State) -> NoisyLabels:
        return pooled(state, self._columns(state), self.learner)

    def _private(self, state: State) -> tuple[int, ...]:
        """Return the features that most people hide: they are not in the public prediction."""
        return hidden_by_most(state.enrolled)

    def _columns(self, state: State) -> tuple[int, ...]:
        private = self._private(state)
        return tuple(j for j in range(len(state.study.features)) if j not in private)

    def _effects(self, state: State, learnt: Learnt, paired: float = PAIRED, places: int = PLACES) -> LearntEffects:
        """Learn what private features add to a prediction, from the residuals of all waves."""
        answered, unit = answered_pairs(state, learnt.predict), self._unit(state, learnt)
        private = self._private(state)
        if answered:
            private = looked_for(private, told_about(state), state.done[-1].wave.facts["plan"])
        n_private = len(self._private(state))
        return learn_effects(state.study, learnt.of.columns, private, answered, unit, n_private, paired, places)

    def _unit(self, state: State, learnt: Learnt) -> float:
        """Return the variance of residuals around a prediction."""
        return learnt.left_variance(state.enrolled)

    def _ask_residuals(self, state: State, people: Any, n_left: int) -> Wave:
        """Ask what is expected to leave the least error, of all who are still to come."""
        study, private = state.study, self._private(state)
        _, epsilon = epsilons(study, self.label_share)
        learnt = self._labels(state).learn(PILOT)
        unit, found, last = self._unit(state, learnt), None, None
        values = {j: study.n_values[j] for j in private}
        of = learnt.of
        doubt, leans = nothing_known(values, of.columns), partial(leaning(state).at, variance=unit)
        known = Known(doubt, values, len(of.columns), of.precision, of.spread / unit, leans=leans)
        if any(done.wave.stream == "pair" for done in state.done):
            found = self._effects(state, learnt, PLANNED_PAIRS, ROUGH)
            known = known.after(found.found, unit, told_about(state), found.unclear)
            last = state.done[-1].wave.facts["plan"]
        plan = plan_question(known, len(people) if found is None else n_left, epsilon, last)
        reach = float(min(plan.reach * unit**0.5, study.label_bounds[1] - study.label_bounds[0]))
        facts = {"plan": plan, "unit": unit, "reach": reach, "found": found}
        if state.expected is not None:
            centre = model_of(study, learnt.body(NOTHING_LEARNT))
            return Wave("pair", (), None, facts, Rule(self._choices(state, plan, reach), centre), len(people))
        centres = np.empty(len(people))
        for rows, some in batches(Chosen(state.enrolled, people)):
            centres[rows] = learnt.predict(some.public)
        return Wave("pair", self._questions(state, people, centres, plan, reach), None, facts, small=True)

    def _questions(self, state: State, people: Any, centres: Floats, plan: Plan, reach: float) -> tuple[Asked, ...]:
        """Draw for each person which question of the plan they are asked, among those about features they hide."""
        choices = self._choices(state, plan, reach)
        asks = [(asking.features, share) for asking, share in plan.asks]
        source, everyone = state.sources["cohort"], batches(Chosen(state.enrolled, people))
        which = np.concatenate([draw_questions(source, some.mask, asks).astype(np.int16) for _, some in everyone])
        # -1, the last of the choices, is for those whom no question of the plan fits
        return tuple(
            Asked(choices[k].question, people[which == k], centres[which == k]) for k in np.unique(which).tolist()
        )

    def _choices(self, state: State, plan: Plan, reach: float) -> tuple[Choice, ...]:
        """Return the questions of the plan; the last, for those whom none of them fits, asks for the residual alone."""
        study, wave = state.study, len(state.done) + 1
        _, epsilon = epsilons(study, self.label_share)
        found = []
        for asking, share in (*plan.asks, (Asking(), 0.0)):
            ask = ask_residual(study, asking, reach, plan.spread, epsilon)
            found.append(Choice(Question(study.digest, wave, (ask,)), asking.features, share))
        return tuple(found)
