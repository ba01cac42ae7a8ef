"""SemiPrivate: any learner on what is public, corrected by joint reports of a private bin and the residual."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from semildp._arrays import Bools, Floats
from semildp.budgets import Budget, check_share
from semildp.curator.additive import Additive, Learnt, relative_noise
from semildp.curator.pair_effects_old import FeatureTerms, estimate_effects, residual_estimates, tally_pairs
from semildp.curator.learning import check_learner
from semildp.curator.pair_plan import PairPlan, pays, plan_pairs, prediction_error, public_gain, residual_variance
from semildp.curator.transcript import Transcript
from semildp.curator.waves import Asked, State, Wave
from semildp.errors import InputError
from semildp.mechanisms import PairResponse, best_pair_response, label_grid
from semildp.models import AdditiveBody, Model, OpaqueBody, model_of
from semildp.partition import Partition, Tree
from semildp.protocols.asks import ask_label
from semildp.protocols.cohorts import draw_cohort, draw_feature
from semildp.protocols.joint import epsilons
from semildp.study import Study
from semildp.wire.forms import by_size, partition_message, read_pair_response
from semildp.wire.messages import AskPair, Question

PILOT = 10_000  # people, about, that a rough centre for the second wave is learnt from


@dataclass(frozen=True)
class SemiPrivate:
    """Settings are those of `SemiPrivateRegressor`.

    Wave 1: some people send a label, with all of epsilon. Wave 2: people who hide a feature that most hide send the bin
    of one such feature, drawn by the curator, together with how far their label lies from the public prediction. There
    is no second wave if, judged from public numbers alone, it is not expected to pay.

    Parameters
    ----------
    first_share
        Where everyone visits once: share of the people, among those who could answer in either wave, who answer in the
        first.
    label_share
        Where everyone answers in both waves: share of epsilon that the first spends.
    learner
        A scikit-learn regressor for public features and noisy labels; None is the default.
    """

    first_share: float = 1 / 3
    label_share: float = 1 / 3
    learner: Any = None

    streams: ClassVar[tuple[str, ...]] = ("fill", "cohort", "label", "pair")

    def __post_init__(self) -> None:
        check_learner(self.learner)
        check_share("first_share", self.first_share)

    def next(self, state: State) -> Wave | Model:
        """Ask for labels, then perhaps for bins and residuals, then put both together."""
        Budget(state.study.epsilon, self.label_share)
        if not state.done:
            return self._ask_labels(state)
        labels = self._labels(state)
        if len(state.done) == 2:
            return model_of(state.study, self._corrected(state, labels))
        if state.done[0].wave.facts["second"] is not None:
            return self._ask_pairs(state, labels.learn(PILOT))
        return model_of(state.study, labels.learn().body())

    def first_wave_only(self, state: State) -> Model:
        """Return the model that the first wave's reports alone give, with what these cost; later waves are not read.

        It tells what a second wave was worth: the same people, without it.
        """
        if not state.done:
            raise InputError("The first wave must have come back. Got none. Collect it first, as `conduct` does.")
        first = replace(state, done=state.done[:1])
        model = model_of(state.study, self._labels(first).learn().body())
        return model.replace(Transcript.of(first).spent)

    def _ask_labels(self, state: State) -> Wave:
        study, mask = state.study, state.enrolled.mask
        private = np.flatnonzero(mask.mean(axis=0) > 0.5)
        second: Bools = np.asarray(mask[:, private].any(axis=1))
        if study.participation == "split":
            second &= ~draw_cohort(state.sources["cohort"], len(mask), self.first_share)
        first = ~second if study.participation == "split" else np.ones_like(second)
        plan = self._plan(study, int(first.sum()), int(second.sum()), len(private))
        if plan is None:
            first = np.ones_like(first)
        label_epsilon, _ = epsilons(study, self.label_share)
        question = Question(study.digest, 1, (ask_label("window", *study.label_bounds, label_epsilon),))
        facts = {"second": None if plan is None else np.flatnonzero(second), "private": private, "plan": plan}
        return Wave("label", (Asked(question, np.flatnonzero(first)),), None, facts)

    def _plan(self, study: Study, n_first: int, n_second: int, n_private: int) -> PairPlan | None:
        """Plan the second wave from public numbers; None if one wave, of everybody, is expected to explain more."""
        if not n_first or not n_second:
            return None
        label_epsilon, pair_epsilon = epsilons(study, self.label_share)
        grid = label_grid("window", *study.label_bounds, label_epsilon)
        noise, n_public = relative_noise(grid, label_epsilon), len(study.features) - n_private
        plan = plan_pairs(n_second, n_private, pair_epsilon, n_first, noise, n_public)
        n = n_first + n_second if study.participation == "split" else n_first
        return plan if pays(plan, public_gain(n / noise, n_public)) else None

    def _labels(self, state: State) -> Additive:
        """Return what the first wave says."""
        study, done = state.study, state.done[0]
        label_epsilon, _ = epsilons(study, self.label_share)
        columns = tuple(np.setdiff1d(np.arange(len(study.features)), done.wave.facts["private"]).tolist())
        enrolled = state.enrolled[done.wave.asked[0].people]
        return Additive.of_labels(study, columns, self.learner, label_epsilon, enrolled, done.answers[0][0].value)

    def _ask_pairs(self, state: State, rough: Learnt) -> Wave:
        study, facts = state.study, state.done[0].wave.facts
        plan: PairPlan = facts["plan"]
        second, private = facts["second"], facts["private"]
        before, labels = rough.predict(state.enrolled[second].public), rough.of
        variance = residual_variance(labels.grid, rough.left(), labels.noise)
        variance += prediction_error(labels.noise, len(labels.noisy), len(labels.columns))
        reach = float(min(plan.reach * variance**0.5, labels.grid.high - labels.grid.low))
        hidden = state.enrolled.mask[np.ix_(second, private)]
        chosen = private[draw_feature(state.sources["cohort"], hidden)]
        asked = []
        for feature in private[np.isin(private, chosen)]:
            ask = self._ask(study, int(feature), plan, reach)
            here = chosen == feature
            asked.append(Asked(Question(study.digest, 2, (ask,)), second[here], before[here]))
        return Wave("pair", tuple(asked), None, {"variance": variance, "reach": reach, "plan": plan})

    def _ask(self, study: Study, feature: int, plan: PairPlan, reach: float) -> AskPair:
        """Ask for the bin of one feature, or the value of a category, and the residual."""
        _, epsilon = epsilons(study, self.label_share)
        values = study.n_values[feature]
        response: PairResponse = plan.response if values is None else best_pair_response(epsilon, values, plan.spread)
        partition = Partition(study.bounds, (feature,), (response.n_candidates,), Tree())
        mechanisms = by_size([(response.n_candidates, response.mechanism)])
        return AskPair(partition_message(partition), (0.0,), reach, mechanisms, epsilon)

    def _corrected(self, state: State, labels: Additive) -> AdditiveBody | OpaqueBody:
        """Learn again from the labels of both waves, and estimate what private features add to that."""
        done, facts = state.done[1], state.done[1].wave.facts
        asked = [
            (a, sent[0], feature_terms(state.study, a.question))
            for a, sent in zip(done.wave.asked, done.answers, strict=True)
        ]
        people = np.concatenate([a.people for a, _, _ in asked])
        before = np.concatenate([_centres(a) for a, _, _ in asked])
        again = before + np.concatenate([residual_estimates(terms, marks) for _, marks, terms in asked])
        enrolled = state.enrolled[people]
        better = labels.with_residuals(enrolled, again, facts["variance"], facts["plan"].noise).learn()
        shift = better.predict(enrolled.public) - before
        start = np.cumsum([0, *(len(a.people) for a, _, _ in asked)])
        totals = [
            (terms, tally_pairs(terms, marks, shift[start[i] : start[i + 1]]))
            for i, (_, marks, terms) in enumerate(asked)
        ]
        return better.body(estimate_effects(totals))


def feature_terms(study: Study, question: Question) -> FeatureTerms:
    """Read off a question about one feature how it was asked."""
    ask = question.asks[0]
    assert isinstance(ask, AskPair)
    feature, bins = ask.partition.features[0], ask.partition.bins[0]
    response = read_pair_response(ask.mechanisms[str(bins)], ask.epsilon, bins)
    return FeatureTerms(feature, response, ask.reach, study.n_values[feature] is None)


def _centres(asked: Asked) -> Floats:
    return np.full(len(asked.people), asked.question.centre) if asked.centres is None else asked.centres
