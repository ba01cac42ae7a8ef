"""Noisy labels of many people, from any number of waves: the learner that is fitted to them, and their mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.curator.beliefs.people import belief_of_people
from semildp.curator.effects.learning import LearntEffects
from semildp.curator.effects.people import Asked, Chosen
from semildp.curator.learning import fit_learner, learned
from semildp.curator.pair_plan import public_signal
from semildp.models import AdditiveBody, OpaqueBody, public_view
from semildp.models.bars import Bars
from semildp.study import Study

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
        Noisy labels.
    sizes, variances
        How many labels each group has, in order, and their variance around the prediction: of noise and of residuals.
    spread
        Variance of labels without noise.
    """

    study: Study
    columns: tuple[int, ...]
    learner: Any
    people: Asked
    labels: Floats
    sizes: Ints
    variances: Floats
    spread: float

    @property
    def variance(self) -> Floats:
        """The variance of each label."""
        return np.repeat(self.variances, self.sizes)

    @property
    def _told(self) -> float:
        return float((self.sizes / self.variances).sum())

    @property
    def precision(self) -> float:
        """What all labels together tell of a mean, in units of one over the labels' variance."""
        return self.spread * self._told

    def learn(self, rough: int | None = None) -> Learnt:
        """Fit the learner; to about `rough` people if that is given."""
        step = 1 if rough is None else 1 + len(self.labels) // rough
        precision = np.repeat(1 / self.variances, self.sizes)[::step]
        evidence = public_signal(self.spread * float(precision.sum()), len(self.columns))
        caution = 1 + min(MOST_CAUTION, 0.1 / max(evidence, 1e-12))
        precision /= precision.max()
        chosen = self.people if rough is None else Chosen(self.people, np.arange(0, len(self.labels), step))
        seen = Seen(self.study, self.columns, chosen)
        return Learnt(self, fit_learner(self.learner, seen, self.labels[::step], precision, caution))

    def towards_middle(self) -> tuple[float, float]:
        """Return how far to move all predictions, and the mean of noisy labels, weighed by their precision.

        Before anyone is asked the mean may be anywhere within the bounds, each place as likely. So a mean of few labels
        is weighed against the middle: moved by (middle - mean) v / (v + width**2 / 12), v being the mean's variance.
        """
        low, high = self.study.label_bounds
        groups = np.split(self.labels, np.cumsum(self.sizes)[:-1])
        total = sum(float(group.sum()) / variance for group, variance in zip(groups, self.variances, strict=True))
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

    def body(self, private: LearntEffects, *, bars: bool = False) -> AdditiveBody | OpaqueBody:
        """Return the model's numbers; with a learner of the user's own, the fitted learner itself.

        With `bars` they have error bars.
        """
        plain, (pull, mean) = learned(self.fitted), self.of.towards_middle()
        rest = (pull, mean, private.effects, private.expectations, self._bars(private) if bars else None)
        if plain is None:
            return OpaqueBody(self.of.columns, self.fitted, *rest)
        return AdditiveBody(self.of.columns, plain, *rest)

    def _bars(self, private: LearntEffects) -> Bars:
        of = self.of
        belief = belief_of_people(of.study, of.columns, of.people, of.labels, of.variance, of.spread)
        return Bars(belief, private.unsure, private.rest, of.spread)
