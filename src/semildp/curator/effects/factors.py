"""Functions of one feature among which the evidence chooses: a line, a curve, steps; or one per value of a category."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from semildp._arrays import Floats
from semildp.models.places import membership

PLACES = 64  # a number's axis is cut into so many places; a step between two of them is found to 1 / 64 of the axis
LINE, CURVE, STEPS = 0.6, 0.15, 0.25  # guess: how often an effect is mostly a line, a parabola, a step
EDGE = 4  # places at each end of a private feature's axis that no step cuts off: so few people would tell of it


@dataclass(frozen=True, eq=False)
class Factors:
    """Functions over the places of one feature's axis.

    Parameters
    ----------
    values
        One row per function, one column per place.
    prior
        How likely each function is, before anyone is asked; adds up to 1.
    first_step
        From which row on the functions are steps, or values of a category.
    """

    values: Floats
    prior: Floats
    first_step: int

    def alike(self, variance: Floats, even: Floats) -> Floats:
        """Return the variances by which sizes of effects are judged before anyone is asked.

        All steps are as likely to be of one height, so each has the variance of the one that divides people best, and
        the values of a category likewise. None is below a hundredth of what it is if people are spread evenly.
        """
        found = np.maximum(variance, 0.01 * even + 1e-12)
        found[self.first_step :] = found[self.first_step :].max(initial=0.0)
        return found


def number_factors(middles: Floats, edge: int) -> Factors:
    """Return the functions of a number: a line, a parabola, and a step between places, but none near the ends.

    `middles` are the values that places stand for.
    """
    places = np.arange(len(middles))
    cuts = np.arange(max(edge, 1), len(places) - edge + 1)
    cuts = cuts[cuts < len(places)]
    steps = (places >= cuts[:, None]).astype(np.float64)
    centre = (middles.min() + middles.max()) / 2
    values = np.vstack([middles - centre, (middles - centre) ** 2, steps])
    prior = np.array([LINE, CURVE, *[STEPS / max(len(cuts), 1)] * len(cuts)])
    return Factors(values, prior / prior.sum(), 2)


def category_factors(n_values: int) -> Factors:
    """Return the functions of a category: one per value, for this value against the others."""
    return Factors(np.eye(n_values), np.full(n_values, 1 / n_values), 0)


@lru_cache(maxsize=256)
def visible(bins: int) -> float:
    """Return how much so many bins of a private number show of a function of usual size, on average, of 1 at most."""
    factors = number_factors((np.arange(PLACES) + 0.5) / PLACES, EDGE)
    centred = factors.values - factors.values.mean(axis=1, keepdims=True)
    seen = centred @ membership(bins, PLACES).T * (bins / PLACES)
    spread = (centred**2).mean(axis=1)
    return float(factors.prior @ ((seen**2).mean(axis=1) / factors.alike(spread, spread)))
