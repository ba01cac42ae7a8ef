"""Functions of one feature among which the evidence chooses, and those of which a curve of any shape is made."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats

PLACES = 128  # into which a private number's axis is cut: where a step is, is found to 1 / 128 of the axis
ROUGH = 64  # the same where it is for a plan alone
PUBLIC_PLACES = 64  # into which a public number's axis is cut, with as many people at each
SHAPES = {1: (0.55, 0.2, 0.25), 2: (0.45, 0.1, 0.45)}  # guess: how often an effect of one feature, or each side of
# one of two features, is mostly a line, a parabola, a step
TERMS = 8  # cosines of which curves are made
FALLS = (4.0, 2.0)  # with which power of k the variance of their coefficients falls: smooth, and as rough as steps
EDGE = 1 / 16  # of a private feature's axis, at each end, that no step cuts off: so few people would tell of it


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
    curves
        Functions whose sums are curves of any shape: one row each.
    falls
        How large the squares of their coefficients are thought to be beside each other: one row per kind of curve.
    """

    values: Floats
    prior: dict[int, Floats]
    first_step: int
    curves: Floats
    falls: Floats

    def alike(self, variance: Floats, even: Floats) -> Floats:
        """Return the variances by which sizes of effects are judged before anyone is asked.

        All steps are as likely to be of one height, so each has the variance of the one that divides people best, and
        the values of a category likewise. None is below a hundredth of what it is if people are spread evenly.
        """
        found = _not_too_small(variance, even)
        found[self.first_step :] = found[self.first_step :].max(initial=0.0)
        return found

    def scaled_falls(self, variance: Floats, even: Floats) -> Floats:
        """Return `falls` such that curves have mean square 1 over the people; variances are of terms, as in `alike`."""
        return np.asarray(self.falls / (self.falls @ _not_too_small(variance, even))[:, None])


def _not_too_small(variance: Floats, even: Floats) -> Floats:
    return np.maximum(variance, 0.01 * even + 1e-12)


def number_factors(middles: Floats, edge: float) -> Factors:
    """Return the functions of a number: a line, a parabola, and a step between places, but none near the ends.

    `middles` are the values that places stand for; of the places, the share `edge` at each end counts as near.
    """
    places, near = np.arange(len(middles)), int(edge * len(middles))
    cuts = np.arange(max(near, 1), len(places) - near + 1)
    cuts = cuts[cuts < len(places)]
    steps = (places >= cuts[:, None]).astype(np.float64)
    centre = (middles.min() + middles.max()) / 2
    values = np.vstack([middles - centre, (middles - centre) ** 2, steps])
    prior = {
        k: np.array([line, curve, *[step / max(len(cuts), 1)] * len(cuts)]) for k, (line, curve, step) in SHAPES.items()
    }
    waves = np.arange(1, min(TERMS, len(places) - 1) + 1)
    curves = np.cos(np.pi * waves[:, None] * (places + 0.5) / len(places))
    falls = np.array([waves**-power for power in FALLS])
    return Factors(values, {k: each / each.sum() for k, each in prior.items()}, 2, curves, falls)


def category_factors(n_values: int) -> Factors:
    """Return the functions of a category: one per value, for this value against the others."""
    each, falls = np.eye(n_values), np.ones((len(FALLS), n_values))
    return Factors(each, dict.fromkeys(SHAPES, np.full(n_values, 1 / n_values)), 0, each, falls)
