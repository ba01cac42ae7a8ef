"""How likely an effect of one family is, of one feature or of two together, and which function it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats
from semildp.curator.effects.functions import Family, Functions
from semildp.curator.effects.weighing import Weighed

SHARES = (0.01, 0.03, 0.1, 0.3)  # guess: of the residuals' variance, what an effect explains; each as likely
CURVED = 0.3  # guess: how often an effect is a curve of some other shape than a line, a parabola or a step


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
        Expected square of the coefficient of each function of which the effect may be one.
    terms
        Expected products of the coefficients of terms of curves, with each other; None without such terms.
    fit
        Log of how much likelier the reports are with the expected coefficients than without an effect. What it is more
        than `log_odds` is the price of not knowing which effect it is.
    """

    family: Family
    log_odds: float
    mean: Floats
    variance: Floats
    square: Floats
    terms: Floats | None = None
    fit: float = 0.0

    @property
    def second(self) -> Floats:
        """Expected square of the effect, at every place."""
        return np.asarray(self.variance + self.mean**2)


def posterior(functions: Functions, family: Family, weighed: Weighed, unit: float) -> Posterior:
    """Weigh every function of a family, and curves of any shape, by the evidence.

    With a coefficient of variance A before, the reports are likelier by (1 + A den)^(-1/2) exp(num^2 A / (2 + 2 A den))
    than without, and the coefficient has mean A num / (1 + A den) and variance A / (1 + A den) after. A is one of
    `SHARES`, in units of the residuals' variance `unit` and of the variance of h. For curves see `_curve`.
    """
    one = _one_function(functions, family, weighed, unit)
    if not weighed.terms:
        return one
    curve = _curve(functions, family, weighed, unit)
    both = np.array([one.log_odds + np.log(1 - CURVED), curve.log_odds + np.log(CURVED)])
    log_odds, (_, chance) = normalised(both)
    mean = (1 - chance) * one.mean + chance * curve.mean
    second = (1 - chance) * one.second + chance * curve.second
    assert curve.terms is not None
    variance = np.maximum(second - mean**2, 0.0)
    fit = (1 - chance) * one.fit + chance * curve.fit
    square = (1 - chance) * one.square
    return Posterior(family, log_odds, mean, variance, square, chance * curve.terms, fit)


def normalised(log_weights: Floats) -> tuple[float, Floats]:
    """Return the log of the sum of weights, and the weights divided by it."""
    top = float(log_weights.max())
    weights = np.exp(log_weights - top)
    total = float(weights.sum())
    return top + float(np.log(total)), weights / total


def _curve(functions: Functions, family: Family, weighed: Weighed, unit: float) -> Posterior:
    """Weigh sums of terms, whose coefficients a have covariance S before anyone is asked.

    The reports are likelier by |I + S G|^(-1/2) exp(num' C num / 2) than without, with G the products of terms and
    C = (G + S^-1)^-1, which is the covariance of a after; its mean is C num. S is A times one of `Functions.falls`, for
    A as in `posterior`.
    """
    num, gram, centre = weighed.of_terms()
    sizes = np.asarray(SHARES)[:, None] * unit
    log_odds, means, axes, after = [], [], [], []
    for spread in functions.spread(family):
        root = np.sqrt(spread)
        values, vectors = np.linalg.eigh((gram + gram.T) / 2 * np.outer(root, root))
        values, along = np.maximum(values, 0.0), vectors.T @ (root * num)
        axes.append(root[:, None] * vectors)
        after.append(sizes / (1 + sizes * values))
        log_odds.append(0.5 * (after[-1] @ along**2 - np.log1p(sizes * values).sum(axis=1)))
        means.append((after[-1] * along) @ axes[-1].T)
    likely, weight = normalised(np.array(log_odds))  # kind of curve x size
    mean = np.array(means).reshape(-1, len(num))
    coefficient, square = weight.ravel() @ mean, (weight.ravel() * mean.T) @ mean
    for each, chances, variances in zip(axes, weight, after, strict=True):
        square += (each * (chances @ variances)) @ each.T
    effect, second = _over_places(functions, family, weighed.terms, coefficient, square, centre)
    variance = np.maximum(second - effect**2, 0.0)
    likely -= float(np.log(weight.size))
    fit = float(coefficient @ num - 0.5 * coefficient @ gram @ coefficient)
    return Posterior(family, likely, effect, variance, np.zeros(0), square, fit)


def _over_places(
    functions: Functions, family: Family, rows: tuple[slice, ...], mean: Floats, square: Floats, centre: Floats
) -> tuple[Floats, Floats]:
    """Return expectation and expected square, at every place, of a sum of terms less their `centre`.

    `mean` and `square` are of the coefficients: E[a] and E[a a']. With v the terms at a place, or the products of two
    features' terms, the square is v' E[a a'] v - 2 centre' E[a a'] v + centre' E[a a'] centre.
    """
    taken = square @ centre
    values = [functions.values[j][each] for j, each in zip(family, rows, strict=True)]
    if len(values) == 1:
        (one,) = values
        effect, second = mean @ one, (one * ((square @ one) - 2 * taken[:, None])).sum(axis=0)
    else:
        one, two = values
        a, b = len(one), len(two)
        effect, less = (one.T @ each.reshape(a, b) @ two for each in (mean, taken))
        crossed = square.reshape(a, b, a, b).swapaxes(1, 2).reshape(a * a, b * b)
        left, right = ((v[:, None] * v[None]).reshape(-1, v.shape[1]) for v in (one, two))
        second = left.T @ crossed @ right - 2 * less
    return np.asarray(effect - mean @ centre), np.asarray(second + centre @ taken)


def _one_function(functions: Functions, family: Family, weighed: Weighed, unit: float) -> Posterior:
    """Weigh each function on its own: see `posterior`."""
    first = functions.single(family[0])
    prior, spread = functions.prior[family[0]][len(family)], functions.variance[family[0]]
    inside = tuple(slice(0, len(functions.variance[j])) for j in family)
    num, den = weighed.num[inside], weighed.den[inside]
    if len(family) == 2:
        prior = np.outer(prior, functions.prior[family[1]][2])
        spread = np.outer(spread, functions.variance[family[1]])
    size = np.multiply.outer(np.asarray(SHARES) * unit, 1 / spread)
    below = 1 + size * den
    variance = np.divide(size, below, out=size)
    log_weight = 0.5 * num**2 * variance
    log_weight -= 0.5 * np.log(below, out=below)
    log_weight += np.log(prior / len(SHARES))
    top = float(log_weight.max())
    log_weight -= top
    weight = np.exp(log_weight, out=log_weight)
    total = float(weight.sum())
    weight *= variance
    weight /= total
    factor, spread = weight.sum(axis=0), (weight * variance).sum(axis=0)  # E[v] and E[v^2] of variances v after
    fit = float((num**2 * (factor - 0.5 * den * spread)).sum())
    coefficient, square = factor * num, factor + spread * num**2
    if len(family) == 1:
        effect, second = coefficient @ first, square @ first**2
    else:
        other, centre = functions.single(family[1]), np.broadcast_to(weighed.centre, weighed.num.shape)[inside]
        effect = first.T @ coefficient @ other - float((coefficient * centre).sum())
        second = (first**2).T @ square @ other**2
    variance = np.maximum(second - effect**2, 0.0)
    return Posterior(family, top + float(np.log(total)), effect, variance, square, fit=fit)
