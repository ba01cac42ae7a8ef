"""Error bars: the distribution of f(x) - prediction, from noise, sampling variance and what was not asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from msgspec import Struct
from scipy.special import ndtr, ndtri

from semildp._arrays import Floats
from semildp.models.belief import Belief
from semildp.models.effects import Effect
from semildp.models.places import place_of

Numbers = tuple[float, ...]
_HALVINGS = 40  # of the range of a half-width: to 1e-12 of it


class Unsure(Struct, frozen=True, forbid_unknown_fields=True):
    """What a private feature may add although the model does not say so: its mean square at each place of its axis."""

    feature: int
    cuts: Numbers
    squares: Numbers


class Bars(Struct, frozen=True, forbid_unknown_fields=True):
    """What error bars are made of.

    Parameters
    ----------
    belief
        What is believed of f, or of its part that public features tell.
    unsure
        What private features may add although the model does not say so.
    rest
        The same of features that were not asked about, and of two together: its mean square, the same everywhere.
    spread
        Variance of labels, if it is known.
    """

    belief: Belief
    unsure: tuple[Unsure, ...] = ()
    rest: float = 0.0
    spread: float = 0.0

    def errors(self, X: Floats, unit: Floats, predicted: Floats, effects: Sequence[Effect] = ()) -> Errors:
        """Return what is known of f - predicted at rows of features.

        Parameters
        ----------
        X, unit
            Features, and features scaled to [0, 1]; NaN is missing.
        predicted
            What is predicted of that on which there is a belief.
        effects
            What private features add: their variances count too.
        """
        known = 1 - np.isnan(X).mean(axis=1)  # nothing is added to a prediction by what is missing
        mean, variance, together = self.belief.at(self.belief.functions(X), known)
        variance += together + known * self.rest
        for effect in effects:
            variance += effect.variance_at(unit)
        for each in self.unsure:
            variance += _at(unit[:, each.feature], each.cuts, np.asarray(each.squares))
        return Errors(mean - predicted, variance)


@dataclass(frozen=True, eq=False)
class Errors:
    """The distribution of f - prediction, taken to be normal: its mean and variance."""

    mean: Floats
    variance: Floats

    @property
    def square(self) -> Floats:
        """Mean square of the error."""
        return np.asarray(self.mean**2 + self.variance)

    def cut(self, predicted: Floats) -> Errors:
        """Return the same for a probability: what is believed lies in [0, 1]."""
        return replace(self, mean=np.clip(self.mean + predicted, 0.0, 1.0) - predicted)

    def within(self, coverage: float, together: int = 1) -> Floats:
        """Return q with P(|f - prediction| <= q) = coverage, by halving.

        Every so many rows (`together`) have one q: for it the probability is averaged over them.
        """
        away = np.abs(self.mean).reshape(-1, together)
        deviation = np.sqrt(np.maximum(self.variance, 0.0)) + 1e-300
        deviation = deviation.reshape(away.shape)
        low, high = np.zeros(len(away)), (away + deviation * float(ndtri((1 + coverage) / 2))).max(axis=1, initial=0.0)
        for _ in range(_HALVINGS):
            q = (low + high) / 2
            short = _folded(q[:, None], away, deviation).mean(axis=1) < coverage
            low, high = np.where(short, q, low), np.where(short, high, q)
        return np.asarray(high)


def _folded(q: Floats, away: Floats, deviation: Floats) -> Floats:
    """Return P(|Z| <= q) for Z normal with mean `away`."""
    return np.asarray(ndtr((q - away) / deviation) - ndtr((-q - away) / deviation))


def _at(value: Floats, cuts: Numbers, squares: Floats) -> Floats:
    """Look squares up; nothing is added to a prediction where the value is missing."""
    return np.where(np.isnan(value), 0.0, squares[place_of(value, cuts)])
