"""Functions of one feature among which the evidence chooses: a line, a curve, steps; or one per value of a category."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats

PLACES = 64  # a number's axis is cut into so many places; a step between two of them is found to 1 / 64 of the axis
SHAPES = {1: (0.6, 0.15, 0.25), 2: (0.4, 0.15, 0.45)}  # guess: how often an effect of one feature, or each side of
# one of two features, is mostly a line, a parabola, a step
EDGE = 4  # places at each end of a private feature's axis that no step cuts off: so few people would tell of it


@dataclass(frozen=True, eq=False)
class Factors:
    """Functions over the places of one feature's axis.

    Parameters
    ----------
    values
        One row per function, one column per place.
    prior
        How likely each function is, before anyone is asked, in an effect of so many features; adds up to 1.
    first_step
        From which row on the functions are steps, or values of a category.
    """

    values: Floats
    prior: dict[int, Floats]
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
    prior = {
        k: np.array([line, curve, *[step / max(len(cuts), 1)] * len(cuts)]) for k, (line, curve, step) in SHAPES.items()
    }
    return Factors(values, {k: each / each.sum() for k, each in prior.items()}, 2)


def category_factors(n_values: int) -> Factors:
    """Return the functions of a category: one per value, for this value against the others."""
    return Factors(np.eye(n_values), dict.fromkeys(SHAPES, np.full(n_values, 1 / n_values)), 0)
