"""SemiPrivateRegressor: any learner on what is public, corrected by what is private; everyone visits once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

from semildp._checks import one_of
from semildp.budgets import Budget
from semildp.client import check_labels, complete_rows, randomise_labels, report_pairs
from semildp.curator import (
    Effects,
    LabelSpread,
    PairPlan,
    estimate_effects,
    guessed_variance,
    label_spread,
    pays,
    plan_pairs,
    prediction_error,
    public_gain,
    public_signal,
    residual_estimates,
    residual_variance,
    tally_pairs,
    warn_of_wide_bounds,
)
from semildp.errors import refusal
from semildp.estimators.account import PrivacyAccount, groups_by_mask
from semildp.estimators.base import PARTICIPATIONS, LocallyPrivateRegressor, Terms
from semildp.estimators.inputs import read_sources
from semildp.estimators.learners import NoisyLabelAverage, fit_weighted
from semildp.masks import Mask
from semildp.mechanisms import WindowResponse, label_grid
from semildp.sources import Source
from semildp.wire import PairQuestion

Floats = NDArray[np.float64]

_PILOT = 10_000
PAIR_KINDS = {
    "generalised": "generalised randomised response",
    "subset": "subset selection",
    "paired": "signed marks (PCKV-UE)",
}


class SemiPrivateRegressor(LocallyPrivateRegressor):
    """Regression from people who each choose which features stay private, with as little noise as the guarantee allows.

    Everyone visits once and spends all of epsilon there. In the first round people send a bounded noisy label with
    their public features, and any learner is fitted to these: post-processing costs no privacy. In the second round
    people who hide a feature that most hide send that feature's bin together with what the public prediction leaves
    unexplained, in a narrower range. The learner is fitted again to the labels of both rounds, and the effect of each
    private feature is estimated and shrunk. If the second round is not expected to pay, judged from public numbers
    alone, nobody is asked.

    Parameters
    ----------
    epsilon
        What each person spends, on label and private features jointly.
    label_bounds, feature_bounds, private_features
        As in `HistOfTreeRegressor`.
    learner
        A scikit-learn regressor for public features and noisy labels. None is `NoisyLabelAverage`.
    participation
        "split": each person answers in one round, with all of epsilon. "both": each answers in both, and epsilon is
        split between them.
    label_share
        "split": share of the people, among those who could answer in either round, who answer in the first. "both":
        share of epsilon that goes to the first.
    clip, random_state
        As in `HistOfTreeRegressor`.

    Attributes
    ----------
    learner_
        The fitted learner.
    public_columns_
        The features it uses: those that at most half of the people hide.
    question_
        What the second round asked, or None if nobody was asked.
    effects_
        What each private feature adds, or None.
    noisy_mean_
        Mean of all noisy labels, weighted by their precision.
    privacy_
        What was spent, by whom, under which definition.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        label_bounds: Any = None,
        feature_bounds: Any = None,
        private_features: Any = None,
        learner: Any = None,
        participation: str = "split",
        label_share: float = 1 / 3,
        clip: bool = False,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.label_bounds = label_bounds
        self.feature_bounds = feature_bounds
        self.private_features = private_features
        self.learner = learner
        self.participation = participation
        self.label_share = label_share
        self.clip = clip
        self.random_state = random_state

    def _learn(self, X: Floats, y: Floats, mask: Mask, terms: Terms) -> None:
        one_of("participation", self.participation, PARTICIPATIONS)
        if self.learner is not None and not (isinstance(self.learner, BaseEstimator) and is_regressor(self.learner)):
            raise refusal("learner", "a scikit-learn regressor, or None for the default", repr(self.learner))
        split = self.participation == "split"
        budget = Budget(self.epsilon, self.label_share)
        label_epsilon, pair_epsilon = (self.epsilon, self.epsilon) if split else (budget.label, budget.cell)
        fill, cohort_source, label_source, pair_source = read_sources(self.random_state, 4)
        self._bounds = terms.feature_bounds
        self._grid = label_grid("window", *terms.label_bounds, label_epsilon)
        rows = complete_rows(terms.feature_bounds, X, mask, fill, clip=self.clip)
        labels = check_labels(self._grid, y, fill, clip=self.clip)
        public = np.where(mask, np.nan, rows)

        private = np.flatnonzero(mask.mean(axis=0) > 0.5)
        self.public_columns_ = np.setdiff1d(np.arange(X.shape[1]), private)
        second = mask[:, private].any(axis=1)
        if split:
            second &= cohort_source.words(len(mask)) / 2.0**64 >= budget.label_share
        first = ~second if split else np.ones_like(second)
        n_first, n_second = int(first.sum()), int(second.sum())
        plan = None
        if n_first and n_second:
            plan = self._plan(n_second, n_first, len(private), (label_epsilon, pair_epsilon))
        if plan is None:
            first, second = np.ones_like(first), np.zeros_like(second)

        seen = self._seen(public)
        noisy, noise, spread = self._first_round(labels[first], label_epsilon, label_source)
        some = slice(None, None, 1 + len(noisy) // _PILOT if second.any() else 1)  # a rough centre for the second round
        self.learner_ = self._fitted(seen[first][some], noisy[some], np.ones(len(noisy[some])))
        self._pull = self._towards_middle(noisy, noise)
        self.question_: PairQuestion | None = None
        self.effects_: Effects | None = None
        if plan is not None:
            before = self._public(seen)
            variance = residual_variance(self._grid, noisy - before[first], noise)
            variance += prediction_error(noise, len(noisy), len(self.public_columns_))
            reach = min(plan.reach * variance**0.5, self._grid.high - self._grid.low)
            self.question_ = PairQuestion(terms.feature_bounds, tuple(private.tolist()), plan.code, float(reach))
            residual = labels[second] - before[second]
            reports = report_pairs(self.question_, rows[second], residual, mask[second], pair_source)
            again = before[second] + residual_estimates(self.question_, reports)
            weights = np.repeat([1 / (noise + variance), 1 / (plan.noise * variance)], [first.sum(), second.sum()])
            everything = np.concatenate([noisy, again])
            self.learner_ = self._fitted(
                np.concatenate([seen[first], seen[second]]), everything, weights / weights.max()
            )
            self._pull = self._towards_middle(everything, 1 / weights)
            shift = self._public(seen[second]) - before[second]
            self.effects_ = estimate_effects(self.question_, tally_pairs(self.question_, reports, shift))
        self.privacy_ = self._account(
            mask, np.where(first, label_epsilon, 0.0), np.where(second, pair_epsilon, 0.0), terms
        )
        warn_of_wide_bounds(spread)

    def _label_noise(self, epsilon: float) -> float:
        """Variance of a label report's noise, in units of the guessed variance of labels."""
        noise = WindowResponse(epsilon, self._grid.steps).variance(np.arange(self._grid.steps + 1)).mean()
        return (float(noise) + 1 / 6) * self._grid.step**2 / guessed_variance(self._grid)  # 1/6: rounding at random

    def _plan(self, n_second: int, n_first: int, n_private: int, epsilons: tuple[float, float]) -> PairPlan | None:
        """Plan the second round from public numbers; None if one round, of everybody, is expected to explain more."""
        noise, n_public = self._label_noise(epsilons[0]), len(self.public_columns_)
        plan = plan_pairs(n_second, n_private, epsilons[1], n_first, noise, n_public)
        n = n_first + n_second if self.participation == "split" else n_first
        return plan if pays(plan, public_gain(n / noise, n_public)) else None

    def _first_round(self, y: Floats, epsilon: float, source: Source) -> tuple[Floats, float, LabelSpread]:
        """Ask for labels; return them in label units, the variance of their noise, and what they tell of the bounds."""
        outputs = randomise_labels(self._grid, y, epsilon, source, "window")
        mechanism = WindowResponse(epsilon, self._grid.steps)
        noise = mechanism.mean_variance(outputs) + 1 / 6  # rounding at random
        noisy = self._grid.decode(mechanism.estimate(outputs))
        return noisy, noise * self._grid.step**2, label_spread(self._grid, mechanism, outputs)

    def _fitted(self, seen: Floats, noisy: Floats, weights: Floats) -> Any:
        """Fit the learner to noisy labels, weighted where it can be; missing entries are filled where it needs that."""
        learner = NoisyLabelAverage(self._caution(len(noisy))) if self.learner is None else clone(self.learner)
        if not np.isnan(seen).any() or get_tags(learner).input_tags.allow_nan:
            return fit_weighted(learner, seen, noisy, weights)
        fill = SimpleImputer(keep_empty_features=True).fit(seen)
        return make_pipeline(fill, fit_weighted(learner, fill.transform(seen), noisy, weights))

    def _caution(self, n_people: int) -> float:
        """Ask the learner for more evidence the less there can be, by public numbers: from 1 to 3 standard errors."""
        evidence = public_signal(n_people / self._label_noise(self.epsilon), len(self.public_columns_))
        return 1 + min(2.0, 0.1 / evidence)

    def _towards_middle(self, noisy: Floats, noise: float | Floats) -> float:
        """Return how far to move all predictions: the mean of few noisy labels is weighed against the bounds' middle.

        Before anyone is asked the mean may be anywhere within the bounds, each place as likely.
        """
        precision = np.broadcast_to(1 / np.asarray(noise), noisy.shape)
        low, high = self._grid.low, self._grid.high
        self.noisy_mean_ = float(np.clip(np.average(noisy, weights=precision), low, high))
        variance = 1 / float(precision.sum())
        return ((low + high) / 2 - self.noisy_mean_) * variance / (variance + (high - low) ** 2 / 12)

    def _seen(self, X: Floats) -> Floats:
        return X[:, self.public_columns_] if len(self.public_columns_) else np.zeros((len(X), 1))

    def _public(self, seen: Floats) -> Floats:
        """Predict from public features, within the label bounds."""
        return np.asarray(np.clip(self.learner_.predict(seen), self._grid.low, self._grid.high))

    def _predict(self, X: Floats) -> Floats:
        X = np.clip(X, self._bounds.low, self._bounds.high)
        predicted = self._public(self._seen(X)) + self._pull
        if self.question_ is not None and self.effects_ is not None:
            predicted = predicted + self.effects_.at(self.question_.bounds.scale(X)[:, list(self.question_.features)])
        return np.asarray(np.clip(predicted, self._grid.low, self._grid.high))

    def _report_text(self) -> str:
        if self.question_ is None:
            return f"{self.privacy_.as_text()}\n\nOne round: a second one was not expected to pay."
        code, names = self.question_.code, self._names()
        asked = ", ".join(names[f] for f in self.question_.features)
        return (
            f"{self.privacy_.as_text()}\n\nTwo rounds: the second asked for one of {asked} in {code.n_candidates} "
            f"bins, with the residual, cut at {self.question_.reach:.3g}, in {code.levels} levels."
        )

    def _account(self, mask: Mask, label_epsilon: Floats, pair_epsilon: Floats, terms: Terms) -> PrivacyAccount:
        sent = ["public features, and which features are private", "the label, by a bounded window response"]
        if self.question_ is not None:
            kind = PAIR_KINDS[self.question_.code.kind]
            joiner = "instead of the label" if self.participation == "split" else "as well"
            pair = f"the bin of one private feature and the residual, jointly, by {kind}"
            sent.append(f"in the second round, {joiner}: {pair}")
        groups = groups_by_mask(mask, label_epsilon, pair_epsilon)
        spent = max(group.total for group in groups)
        return PrivacyAccount(spent, groups, tuple(sent), terms.leaks, self.random_state is not None)
