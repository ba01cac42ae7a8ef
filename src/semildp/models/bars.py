"""Error bars: the mean square of f(x) - prediction, as far as it is known from noise, sampling and what was not asked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from semildp._arrays import Floats
from semildp.models.belief import Belief
from semildp.models.effects import Effect
from semildp.models.places import place_of

Numbers = tuple[float, ...]


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
    """

    belief: Belief
    unsure: tuple[Unsure, ...] = ()
    rest: float = 0.0

    def square(self, X: Floats, unit: Floats, predicted: Floats, effects: Sequence[Effect] = ()) -> Floats:
        """Return the mean square of f - predicted at rows of features.

        Parameters
        ----------
        X, unit
            Features, and features scaled to [0, 1]; NaN is missing.
        predicted
            What is predicted of that on which there is a belief.
        effects
            What private features add: their variances count too.
        """
        mean, variance = self.belief.at(self.belief.functions(X))
        total = variance + (mean - predicted) ** 2 + self.rest
        for effect in effects:
            total += effect.variance_at(unit)
        for each in self.unsure:
            total += _at(unit[:, each.feature], each.cuts, np.asarray(each.squares))
        return np.asarray(total)


def _at(value: Floats, cuts: Numbers, squares: Floats) -> Floats:
    """Look squares up; nothing is added to a prediction where the value is missing."""
    return np.where(np.isnan(value), 0.0, squares[place_of(value, cuts)])
