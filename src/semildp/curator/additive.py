"""Learning a function of public features from noisy labels, and weighing their mean against the bounds' middle."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.curator.label_noise import noisy_labels
from semildp.curator.learning import fit_learner, learned
from semildp.curator.pair_plan import guessed_variance, public_signal
from semildp.domains import RANDOM_ROUNDING, LabelGrid
from semildp.mechanisms import WindowResponse, label_grid
from semildp.models import AdditiveBody, Effect, OpaqueBody, public_view
from semildp.study import Study
from semildp.wire.columns import Enrolled


@dataclass(frozen=True, eq=False)
class Additive:
    """Noisy labels and public features, from one wave or two.

    Parameters
    ----------
    study, columns
        The study, and the public features that are used.
    learner, epsilon
        What is fitted (None: the default), and the epsilon of a label report.
    grid
        Grid of the label reports.
    seen, noisy, noise
        Public features as the learner sees them, noisy labels, and the mean variance of the first wave's noise.
    weights
        How much each label counts when the learner is fitted.
    precision
        Precision of each label, by which their mean is weighed.
    """

    study: Study
    columns: tuple[int, ...]
    learner: Any
    epsilon: float
    grid: LabelGrid
    seen: Floats
    noisy: Floats
    noise: float
    weights: Floats
    precision: Floats

    @classmethod
    def of_labels(
        cls, study: Study, columns: tuple[int, ...], learner: Any, epsilon: float, enrolled: Enrolled, sent: Ints
    ) -> Additive:
        """Read label reports."""
        grid = label_grid("window", *study.label_bounds, epsilon)
        noisy, noise = noisy_labels("window", grid, epsilon, sent)
        seen, ones = public_view(study, columns, enrolled.public), np.ones(len(noisy))
        return cls(study, columns, learner, epsilon, grid, seen, noisy, noise, ones, ones / noise)

    def with_residuals(self, enrolled: Enrolled, labels: Floats, variance: float, noise: float) -> Additive:
        """Add the labels that residual reports amount to.

        `variance` is that of residuals; `noise` the variance of a residual report in units of it.
        """
        precision = np.repeat([1 / (self.noise + variance), 1 / (noise * variance)], [len(self.noisy), len(labels)])
        return replace(
            self,
            seen=np.concatenate([self.seen, public_view(self.study, self.columns, enrolled.public)]),
            noisy=np.concatenate([self.noisy, labels]),
            weights=precision / precision.max(),
            precision=precision,
        )

    def learn(self, rough: int | None = None) -> Learnt:
        """Fit the learner; to about `rough` people if that is given."""
        some = slice(None, None, 1 if rough is None else 1 + len(self.noisy) // rough)
        noisy, n_public = self.noisy[some], len(self.columns)
        evidence = public_signal(len(noisy) / relative_noise(self.grid, self.epsilon), n_public)
        caution = 1 + min(2.0, 0.1 / evidence)  # standard errors: from 1, to 3 where there can be little evidence
        return Learnt(self, fit_learner(self.learner, self.seen[some], noisy, self.weights[some], caution))

    def towards_middle(self) -> tuple[float, float]:
        """Return how far to move all predictions, and the mean of noisy labels, weighed by their precision.

        Before anyone is asked the mean may be anywhere within the bounds, each place as likely. So a mean of few labels
        is weighed against the middle: moved by (middle - mean) v / (v + width**2 / 12), v being the mean's variance.
        """
        low, high = self.grid.low, self.grid.high
        mean = float(np.clip(np.average(self.noisy, weights=self.precision), low, high))
        variance = 1 / float(self.precision.sum())
        return ((low + high) / 2 - mean) * variance / (variance + (high - low) ** 2 / 12), mean


@dataclass(frozen=True, eq=False)
class Learnt:
    """A learner fitted to noisy labels."""

    of: Additive
    fitted: Any

    def predict(self, public: Floats) -> Floats:
        """Predict from public features, within the label bounds."""
        return self._within(self.fitted.predict(public_view(self.of.study, self.of.columns, public)))

    def left(self) -> Floats:
        """Return noisy labels less their prediction."""
        return self.of.noisy - self._within(self.fitted.predict(self.of.seen))

    def _within(self, predicted: Floats) -> Floats:
        return np.asarray(np.clip(predicted, self.of.grid.low, self.of.grid.high))

    def body(self, effects: tuple[Effect, ...] = ()) -> AdditiveBody | OpaqueBody:
        """Return the model's numbers; with a learner of the user's own, the fitted learner itself."""
        plain, (pull, mean) = learned(self.fitted), self.of.towards_middle()
        if plain is None:
            return OpaqueBody(self.of.columns, self.fitted, pull, mean, effects)
        return AdditiveBody(self.of.columns, plain, pull, mean, effects)


def relative_noise(grid: LabelGrid, epsilon: float) -> float:
    """Return the variance of a label report's noise, in units of the guessed variance of labels."""
    noise = WindowResponse(epsilon, grid.steps).variance(np.arange(grid.steps + 1)).mean()
    return (float(noise) + RANDOM_ROUNDING) * grid.step**2 / guessed_variance(grid)
