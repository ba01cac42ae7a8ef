"""What reports say of one family of effects: of one feature, or of two together, for every function in question."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, logsumexp, softmax

from semildp._arrays import Floats
from semildp.curator.effects.explained import Explained, Others
from semildp.curator.effects.reading import Family, Reading
from semildp.models.places import membership

SHARES = (0.01, 0.03, 0.1, 0.3)  # guess: of the residuals' variance, what an effect explains; each as likely


@dataclass(frozen=True, eq=False)
class Functions:
    """The functions of each feature, with mean 0 over the people, how likely each is, and its variance over people.

    How likely one is depends on how many features an effect has.
    `categories` are the features that have no order: one function per value.
    """

    values: dict[int, Floats]
    prior: dict[int, dict[int, Floats]]
    variance: dict[int, Floats]
    categories: frozenset[int] = frozenset()


@dataclass(frozen=True, eq=False)
class Weighed:
    """What reports say of every function h of a family: num = den * a + noise of variance den, a being h's coefficient.

    `centre` is the mean of h over the people, which is taken off; `people` how many told; `shared` holds the products
    of h with every effect found so far (last axis), weighed as in `den`.
    """

    num: Floats
    den: Floats
    centre: Floats | float
    people: int
    shared: Floats | float = 0.0

    def __add__(self, other: Weighed) -> Weighed:
        people = self.people + other.people
        centre = (self.people * self.centre + other.people * other.centre) / max(people, 1)
        return Weighed(self.num + other.num, self.den + other.den, centre, people, self.shared + other.shared)

    def beside(self, others: Others) -> Weighed:
        """Leave what other effects cannot explain; their sizes are unknown, with the variances that `others` tell."""
        if np.ndim(self.shared) == 0 or not len(others.num):
            return self
        shared = np.asarray(self.shared)[..., others.kept]
        solved = shared @ np.linalg.inv(others.gram)
        den = self.den - (solved * shared).sum(axis=-1)
        return replace(self, num=self.num - solved @ others.num, den=np.maximum(den, 1e-3 * self.den))


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
    log_weight = -0.5 * np.log(below) + 0.5 * weighed.num**2 * size / below + np.log(prior / len(SHARES))
    top = float(log_weight.max())
    weight = np.exp(log_weight - top)
    total = float(weight.sum())
    weight, mean, variance = weight / total, size * weighed.num / below, size / below
    coefficient, square = (weight * mean).sum(axis=0), (weight * (mean**2 + variance)).sum(axis=0)
    if len(family) == 1:
        effect, second = coefficient @ first, square @ first**2
    else:
        other = functions.values[family[1]]
        effect = first.T @ coefficient @ other - float((coefficient * weighed.centre).sum())
        second = (first**2).T @ square @ other**2
    return Posterior(family, top + float(np.log(total)), effect, np.maximum(second - effect**2, 0.0), square)


def weigh(functions: Functions, explained: Explained, k: int, family: Family) -> Weighed:
    """Weigh the reports to the k-th question for every function of a family.

    Sums S over cells and places, less what effects found so far explain, have mean a * D and variance V. So num = sum
    of D S / V and den = sum of D^2 / V. D is the expected number of people there times what h is there beyond its
    expectation, given what is public of them.
    """
    reading, values = explained.asked[k], functions.values
    reports = reading.reports
    if len(family) == 2 and reading.asked(family):
        return _weigh_two(functions, explained, k, family)
    outer = tuple(j for j in family if not reading.in_cells(j))
    sums, people = explained.left(k, outer), reading.by_place(outer, np.ones((1, 1)))[0]
    noise = np.outer(reports.cell_noise, np.maximum(people, 1e-9)) / max(len(reports), 1)
    regressor = _regressor(functions, reading, family[0], outer)
    num, den = (regressor * (sums / noise)).sum(axis=1), (regressor**2 / noise).sum(axis=1)
    if len(family) == 1:
        shared = 0.0 if outer else (regressor / noise).sum(axis=2) @ explained.sums_of(k).T
        return Weighed(num.sum(axis=1), den.sum(axis=1), 0.0, len(reports), shared)
    if len(outer) == 2:
        shape = (len(num), values[family[0]].shape[1], values[family[1]].shape[1])
        num, den = num.reshape(shape).sum(axis=1), den.reshape(shape).sum(axis=1)
    second = values[family[1]]
    return Weighed(num @ second.T, den @ (second**2).T, 0.0, len(reports))


def _regressor(functions: Functions, reading: Reading, first: int, outer: tuple[int, ...]) -> Floats:
    """Return D for each function of a family's first feature, by cell and place."""
    values, expected, chances = functions.values[first], reading.expected[first], reading.chances
    kept = reading.reports.kept
    inside = values @ reading.within_bins(first).T  # function x expected bin
    if reading.in_cells(first):
        here = (values @ reading.within[first].T)[:, :, None]  # function x cell
    else:
        _, places = reading.key(outer)
        at = np.arange(places) // (places // values.shape[1])  # place on the first axis
        here = values[:, None, at]
    if reading.reports.signs is not None:
        return _signed_regressor(reading, first, here, inside, outer)
    count = reading.by_place(outer, chances)  # cell x place
    if len(expected) == 1:
        return np.asarray(kept * (here - (inside @ expected[0])[:, None, None]) * count)
    pairs = chances[:, :, None] * expected[:, None, :]
    both = reading.by_place(outer, pairs.reshape(len(pairs), -1)).reshape(chances.shape[1], expected.shape[1], -1)
    return np.asarray(kept * (here * count - np.einsum("hb,cbp->hcp", inside, both)))


def _signed_regressor(reading: Reading, first: int, here: Floats, inside: Floats, outer: tuple[int, ...]) -> Floats:
    """Return D where all cells are in one sum, each with its sign."""
    signs, turned, expected = reading.reports.signs, reading.turned, reading.expected[first]
    assert signs is not None
    if here.shape[1] > 1:  # cells tell of the feature
        there = np.einsum("hcq,cp->hp", here * signs[:, None], reading.by_place(outer, reading.chances))
    else:
        there = here[:, 0] * reading.by_place(outer, turned[:, None])
    mean = inside @ reading.by_place(outer, turned[:, None] * expected)
    return np.asarray(reading.reports.kept * (there - mean)[:, None, :])


def _weigh_two(functions: Functions, explained: Explained, k: int, family: Family) -> Weighed:
    """Two features that were asked about together: D = people * (g h - its mean over the people)."""
    reading = explained.asked[k]
    reports, (one, two) = reading.reports, family
    if reports.features != family:
        flipped = _weigh_two(functions, explained, k, (two, one))
        shared = np.swapaxes(flipped.shared, 0, 1)
        return Weighed(flipped.num.T, flipped.den.T, np.asarray(flipped.centre).T, flipped.people, shared)
    sums, people, noise = explained.left(k, ())[:, 0], reading.people, reports.cell_noise
    together = reading.together
    rows, columns = membership(reports.bins[0], len(together)), membership(reports.bins[1], together.shape[1])
    g, h = functions.values[one], functions.values[two]
    if reports.signs is not None:
        turned = together * (rows.T @ reports.signs.reshape(reports.bins) @ columns)
        centre = g @ together @ h.T
        regressor = (len(reports) * (g @ turned @ h.T - centre * turned.sum()))[None]
        return _weighed(reports.kept * regressor, sums, noise, centre, explained.sums_of(k), len(reports))
    products = np.array([(g * r) @ together @ (h * c).T for r in rows for c in columns])
    there = (rows @ together @ columns.T).ravel()
    products = products / np.maximum(there, 1e-300)[:, None, None]
    centre = np.tensordot(people, products, 1) / max(float(people.sum()), 1.0)
    regressor = reports.kept * people[:, None, None] * (products - centre)
    return _weighed(regressor, sums, noise, centre, explained.sums_of(k), len(reports))


def _weighed(regressor: Floats, sums: Floats, noise: Floats, centre: Floats, others: Floats, people: int) -> Weighed:
    """Weigh sums (first axis of D) by their noise."""
    num = np.tensordot(sums / noise, regressor, 1)
    den = np.tensordot(1 / noise, regressor**2, 1)
    return Weighed(num, den, centre, people, np.tensordot(regressor, others / noise, (0, 1)))
