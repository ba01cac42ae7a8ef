"""How likely an effect of one family is, of one feature or of two together, and which function it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logsumexp, softmax

from semildp._arrays import Floats
from semildp.curator.effects.reading import Family
from semildp.curator.effects.weighing import Functions, Weighed

SHARES = (0.01, 0.03, 0.1, 0.3)  # guess: of the residuals' variance, what an effect explains; each as likely


@dataclass(frozen=True, eq=False)
class Posterior:
    """What is known of one family after the reports.

    Parameters
    ----------
    family
        The features.
    log_odds
        Log of how much likelier the reports are if there is one effect of this family than if there is none.
    mean, variance
        Of the effect, if there is one, at every place.
    square
        Expected square of the coefficient of each function.
    """

    family: Family
    log_odds: float
    mean: Floats
    variance: Floats
    square: Floats

    @property
    def second(self) -> Floats:
        """Expected square of the effect, at every place."""
        return np.asarray(self.variance + self.mean**2)


def posterior(functions: Functions, family: Family, weighed: Weighed, unit: float) -> Posterior:
    """Weigh every function of a family by the evidence.

    With a coefficient of variance A before, the reports are likelier by (1 + A den)^(-1/2) exp(num^2 A / (2 + 2 A den))
    than without, and the coefficient has mean A num / (1 + A den) and variance A / (1 + A den) after. A is one of
    `SHARES`, in units of the residuals' variance `unit` and of the variance of h. The values of a category may also
    have an effect each: see `_every_value`.
    """
    one = _one_function(functions, family, weighed, unit)
    if len(family) == 2 or family[0] not in functions.categories:
        return one
    every = _every_value(functions, family, weighed, unit)
    log_odds = np.logaddexp(one.log_odds, every.log_odds) - np.log(2)
    chance = float(expit(every.log_odds - one.log_odds))
    mean, spread, square = (
        (1 - chance) * a + chance * b
        for a, b in ((one.mean, every.mean), (one.second, every.second), (one.square, every.square))
    )
    return Posterior(family, float(log_odds), mean, np.maximum(spread - mean**2, 0.0), square)


def _every_value(functions: Functions, family: Family, weighed: Weighed, unit: float) -> Posterior:
    """Weigh the effects of a category's values together, each with the same variance before.

    They add up to 0 over the people, so of k values k - 1 tell something: evidence counts (k - 1) / k.
    """
    values = functions.values[family[0]]
    size = np.asarray(SHARES)[:, None] * unit / functions.variance[family[0]].sum()
    below, part = 1 + size * weighed.den, (len(values) - 1) / len(values)
    each = part * (-0.5 * np.log(below) + 0.5 * weighed.num**2 * size / below).sum(axis=1)
    weight = softmax(each)[:, None]
    mean, variance = size * weighed.num / below, size / below
    coefficient, square = (weight * mean).sum(axis=0), (weight * (mean**2 + variance)).sum(axis=0)
    spread = (weight * variance).sum(axis=0) @ values**2 + (weight[:, 0] @ (mean @ values) ** 2)
    effect = coefficient @ values
    log_odds = float(logsumexp(each)) - float(np.log(len(SHARES)))
    return Posterior(family, log_odds, effect, np.maximum(spread - effect**2, 0.0), square)


def _one_function(functions: Functions, family: Family, weighed: Weighed, unit: float) -> Posterior:
    """Weigh each function on its own: see `posterior`."""
    first = functions.values[family[0]]
    prior, spread = functions.prior[family[0]][len(family)], functions.variance[family[0]]
    if len(family) == 2:
        prior = np.outer(prior, functions.prior[family[1]][2])
        spread = np.outer(spread, functions.variance[family[1]])
    size = np.multiply.outer(np.asarray(SHARES) * unit, 1 / spread)
    below = 1 + size * weighed.den
    variance = np.divide(size, below, out=size)
    log_weight = 0.5 * weighed.num**2 * variance
    log_weight -= 0.5 * np.log(below, out=below)
    log_weight += np.log(prior / len(SHARES))
    top = float(log_weight.max())
    log_weight -= top
    weight = np.exp(log_weight, out=log_weight)
    total = float(weight.sum())
    weight *= variance
    weight /= total
    factor, spread = weight.sum(axis=0), (weight * variance).sum(axis=0)  # E[v] and E[v^2] of variances v after
    coefficient, square = factor * weighed.num, factor + spread * weighed.num**2
    if len(family) == 1:
        effect, second = coefficient @ first, square @ first**2
    else:
        other = functions.values[family[1]]
        effect = first.T @ coefficient @ other - float((coefficient * weighed.centre).sum())
        second = (first**2).T @ square @ other**2
    return Posterior(family, top + float(np.log(total)), effect, np.maximum(second - effect**2, 0.0), square)
