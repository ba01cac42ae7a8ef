"""Noisy labels of many people, from any number of waves: the learner that is fitted to them, and their mean."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from semildp._arrays import Floats, Ints
from semildp._kernels.blas import one_blas_thread
from semildp.curator.beliefs.people import belief_of_people
from semildp.curator.effects.learning import LearntEffects
from semildp.curator.effects.people import Asked, Chosen, Joined
from semildp.curator.learning import fit_learner, learned
from semildp.curator.learning.rows import Column
from semildp.curator.numbers import Repeated
from semildp.curator.pair_plan import MOST_NUMBERS, public_signal
from semildp.models import AdditiveBody, OpaqueBody, public_view
from semildp.models.bars import Bars
from semildp.models.belief import Belief
from semildp.study import Study

PILOT = 20_000  # people, about, that a rough prediction for a wave is learnt from, or a variance
LEAST_LEFT = 0.02  # guess: of the labels' variance, what no prediction explains
MOST_CAUTION = 2.0  # guess: standard errors taken off beyond 1, where there can be little evidence


@dataclass(frozen=True, eq=False)
class NoisyLabels:
    """Labels with noise of known variance, and the public features of the people they are of.

    Parameters
    ----------
    study, columns, learner
        The study, the public features that are used, and what is fitted (None: the default).
    people
        What people have made public, read in batches.
    labels
        Noisy labels, made when they are read.
    sizes, variances
        How many labels each group has, in order, and their variance around the prediction: of noise and of residuals.
    spread
        Variance of labels without noise.
    """

    study: Study
    columns: tuple[int, ...]
    learner: Any
    people: Asked
    labels: Column
    sizes: Ints
    variances: Floats
    spread: float

    @property
    def variance(self) -> Column:
        """The variance of each label."""
        return Repeated(self.variances, self.sizes)

    @property
    def chosen(self) -> Asked:
        """The people as one group, to be read often."""
        return self.people.at_once() if isinstance(self.people, Joined) else self.people

    @property
    def _told(self) -> float:
        return float((self.sizes / self.variances).sum())

    @property
    def precision(self) -> float:
        """What all labels together tell of a mean, in units of one over the labels' variance."""
        return self.spread * self._told

    def learn(self, rough: int | None = None) -> Learnt:
        """Fit the learner; as a pilot, to about `rough` people, if that is given."""
        step = 1 if rough is None else 1 + len(self.labels) // rough
        each = Repeated(1 / self.variances, self.sizes)
        total, most = each[::step].sum(), each[::step].max()
        evidence = public_signal(self.spread * float(total), len(self.columns))
        caution = 1 + min(MOST_CAUTION, 0.1 / max(evidence, 1e-12))
        weights: Column = Repeated(each.values / most, self.sizes)
        labels, chosen = self.labels, self.chosen
        if step > 1:
            labels, weights = labels[::step], weights[::step]
            chosen = Chosen(chosen, np.arange(0, len(self.labels), step))
        seen = Seen(self.study, self.columns, chosen)
        pilot = rough is not None
        return Learnt(self, fit_learner(self.learner, seen, labels, weights, caution, pilot=pilot))

    def towards_middle(self) -> tuple[float, float]:
        """Return how far to move all predictions, and the mean of noisy labels, weighed by their precision.

        Before anyone is asked the mean may be anywhere within the bounds, each place as likely. So a mean of few labels
        is weighed against the middle: moved by (middle - mean) v / (v + width**2 / 12), v being the mean's variance.
        """
        low, high = self.study.label_bounds
        ends, total = np.cumsum(self.sizes).tolist(), 0.0
        for end, size, variance in zip(ends, self.sizes.tolist(), self.variances.tolist(), strict=True):
            total += float(self.labels[end - size : end].sum()) / variance
        mean, variance = float(np.clip(total / self._told, low, high)), 1 / self._told
        return ((low + high) / 2 - mean) * variance / (variance + (high - low) ** 2 / 12), mean


@dataclass(frozen=True, eq=False)
class Seen:
    """Public features as a learner sees them, made when they are read."""

    study: Study
    columns: tuple[int, ...]
    people: Asked

    def __len__(self) -> int:
        return len(self.people)

    def __getitem__(self, people: Ints | slice) -> Floats:
        return public_view(self.study, self.columns, self.people[people].public)


@dataclass(frozen=True, eq=False)
class Learnt:
    """A learner fitted to noisy labels."""

    of: NoisyLabels
    fitted: Any

    def predict(self, public: Floats) -> Floats:
        """Predict from public features, within the label bounds."""
        found = self.fitted.predict(public_view(self.of.study, self.of.columns, public))
        return np.asarray(np.clip(found, *self.of.study.label_bounds))

    def left_variance(self, enrolled: Asked) -> float:
        """Return the variance of residuals around a prediction: that of labels less what is explained, and its error.

        A penalised learner is taken to have to find one number for each public feature, and the mean, but not too many.
        """
        if enrolled not in self._variances:
            self._variances[enrolled] = self._left_variance(enrolled)
        return self._variances[enrolled]

    @cached_property
    def _variances(self) -> WeakKeyDictionary[Asked, float]:
        return WeakKeyDictionary()

    def _left_variance(self, enrolled: Asked) -> float:
        labels = self.of
        some = enrolled[:: 1 + len(enrolled) // PILOT].public
        explained = float(self.predict(some).var())
        error = min(1 + len(labels.columns), MOST_NUMBERS) * labels.spread / max(labels.precision, 1e-300)
        return max(labels.spread - explained, LEAST_LEFT * labels.spread) + min(error, labels.spread)

    def body(self, private: LearntEffects, belief: Belief | None = None) -> AdditiveBody | OpaqueBody:
        """Return the model's numbers; with a learner of the user's own, the fitted learner itself.

        With a `belief` they have error bars.
        """
        plain, (pull, mean) = learned(self.fitted), self.of.towards_middle()
        bars = None
        if belief is not None:
            bars = Bars(belief, private.unsure, private.rest, self.of.spread)
        rest = (pull, mean, private.effects, private.expectations, bars)
        if plain is None:
            return OpaqueBody(self.of.columns, self.fitted, *rest)
        return AdditiveBody(self.of.columns, plain, *rest)

    @one_blas_thread()
    def belief(self) -> Belief:
        """Return what labels tell of f, for error bars."""
        of = self.of
        return belief_of_people(of.study, of.columns, of.chosen, of.labels, of.variance, of.spread)
