"""What is still unknown of a family of effects: how its averages over coarse places vary, from what reports tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from semildp._arrays import Floats
from semildp.curator.effects.evidence import CURVED, SHARES, Posterior
from semildp.curator.effects.factors import EDGE, FALLS, PLACES, number_factors
from semildp.curator.effects.functions import TERMS_OF_TWO, Family, Functions
from semildp.models.places import membership

COARSE = {1: 16, 2: 8}  # places of a number's axis, by how many private features a family has
MOST_WAYS = 8  # of varying with a public feature that are counted


@dataclass(frozen=True, eq=False)
class Doubt:
    """Covariance of what a family adds, over coarse places of its private features.

    Parameters
    ----------
    private
        The private features of the family.
    shares
        Share of people at each coarse place of each of them.
    covariance
        Of the averages at all combinations of coarse places, for one public place.
    ways
        How the effect may vary with the family's public feature: shares of the covariance that vary independently,
        adding up to 1. One if there is none.
    worth
        The variance over people, who are not at coarse places, over that of the averages, at least 1. Where it is
        unknown at which point of a coarse place a step is, the average there is nearly known, the people's effect not.
    """

    private: Family
    shares: tuple[Floats, ...]
    covariance: Floats
    ways: Floats
    worth: float = 1.0

    @cached_property
    def people(self) -> Floats:
        """Share of people at each combination of places."""
        found = np.ones(1)
        for shares in self.shares:
            found = np.outer(found, shares).ravel()
        return found

    @cached_property
    def total(self) -> float:
        """Variance of the effect over people."""
        return self.worth * self.average

    @property
    def average(self) -> float:
        """Variance of the averages over coarse places."""
        return float(self.people @ np.diag(self.covariance))

    def __mul__(self, factor: float) -> Doubt:
        return replace(self, covariance=factor * self.covariance)

    def __add__(self, other: Doubt) -> Doubt:
        mine, its = self.total, other.total
        ways = (mine * self.ways + its * other.ways) / (mine + its) if mine + its > 0 else self.ways
        return replace(self, covariance=self.covariance + other.covariance, ways=ways).worth_in_all(mine + its)

    @property
    def telling(self) -> float:
        """By how much the variance over people falls for each unit that the averages' falls.

        Of a step that is known to s in a coarse place, the former grows with s and the latter with s^2: half the worth.
        """
        return max(self.worth / 2, 1.0)

    def with_left(self, covariance: Floats) -> Doubt:
        """Return what is still unknown if averages have this covariance."""
        left = replace(self, covariance=covariance)
        return left.worth_in_all(self.total - self.telling * (self.average - left.average))

    def worth_in_all(self, variance: float) -> Doubt:
        """Return the same with such a variance over people, if that is more than the variance of averages."""
        average = self.average
        return replace(self, worth=max(variance / average, 1.0) if average > 0 else 1.0)


def merged(doubts: list[Doubt]) -> Doubt:
    """Return the doubt of several families of one private feature, each with another public one, as one family.

    It varies in all of their ways; that it varies alike over places of the private feature is taken for granted.
    """
    totals = np.array([doubt.total for doubt in doubts])
    whole = float(totals.sum())
    if whole <= 0:
        return doubts[0]
    ways = np.concatenate([total / whole * doubt.ways for total, doubt in zip(totals, doubts, strict=True)])
    covariance = np.sum([doubt.covariance for doubt in doubts], axis=0)
    return replace(doubts[0], covariance=covariance, ways=ways[ways > 1e-3 * ways.max()]).worth_in_all(whole)


def either(doubt: Doubt, other: Doubt, chance: float, away: Floats, shares: list[Floats]) -> Doubt:
    """Return what is unknown of an effect of numbers that, with some chance, is another, `away` from this one."""
    total = (1 - chance) * doubt.total + chance * other.total + chance * (1 - chance) * average(away**2, shares)
    for axis, places in enumerate(away.shape):
        averaging = _averaging(places, len(doubt.private), category=False)
        away = np.moveaxis(np.tensordot(away, averaging, (axis, 0)), -1, axis)
    both = doubt * (1 - chance) + other * chance
    return replace(both, covariance=both.covariance + chance * (1 - chance) * np.outer(away, away)).worth_in_all(total)


def average(table: Floats, shares: list[Floats]) -> float:
    """Return the average of a table over people, of whom these shares are at the places of its axes."""
    for each in reversed(shares):
        table = table @ each
    return float(table)


def doubt_of(p: Posterior, functions: Functions, shares: dict[int, Floats], private: list[int], chance: float) -> Doubt:
    """Return what is unknown of an effect that is there with some chance."""
    inside = tuple(j for j in p.family if j in private)
    averaging = [_averaging(functions.values[j].shape[1], len(inside), j in functions.categories) for j in inside]
    values = [functions.single(j) @ a for j, a in zip(inside, averaging, strict=True)]
    coarse = tuple(_added(shares[j], a) for j, a in zip(inside, averaging, strict=True))
    mean = chance * averaging[0].T @ p.mean
    if len(inside) == 2:
        mean = (mean @ averaging[1]).ravel()
    rows = functions.terms(p.family) if p.terms is not None else ()
    terms = [functions.values[j][each] @ a for j, each, a in zip(inside, rows, averaging, strict=False)]
    total = average(chance * p.second - (chance * p.mean) ** 2, [shares[j] for j in p.family])
    if len(p.family) == len(inside):
        second = second_moment(values, p.square)
        if p.terms is not None:
            second = second + moment_of_terms(terms, p.terms)
        covariance = _not_negative(chance * second - np.outer(mean, mean))
        return Doubt(inside, coarse, covariance, _one_way()).worth_in_all(total)
    public, other = shares[p.family[1]], functions.single(p.family[1])
    square = p.square * ((other**2) @ public)
    second = second_moment(values, square.sum(axis=1))
    varies = (other.T * square.sum(axis=0)) @ other
    if p.terms is not None:
        there, people = functions.values[p.family[1]][rows[1]], coarse[0]
        each = p.terms.reshape(len(terms[0]), len(there), len(terms[0]), len(there))
        second = second + moment_of_terms(terms, np.einsum("akbl,kl->ab", each, (there * public) @ there.T))
        varies = varies + there.T @ np.einsum("akbl,ab->kl", each, (terms[0] * people) @ terms[0].T) @ there
    covariance = chance * second - (mean * public) @ mean.T
    return Doubt(inside, coarse, _not_negative(covariance), _ways(varies, public)).worth_in_all(total)


def moment_of_terms(values: list[Floats], square: Floats) -> Floats:
    """Return the sum of E[a b] g h' over terms g and h; of products of two features' terms, if there are two."""
    every = values[0] if len(values) == 1 else np.kron(values[0], values[1])
    return np.asarray(every.T @ square @ every)


def second_moment(values: list[Floats], square: Floats) -> Floats:
    """Return the sum of E[a^2] h h' over functions h; of products of two features' functions, if there are two."""
    if len(values) == 1:
        return np.asarray((values[0].T * square) @ values[0])
    one, two = (np.einsum("hi,hj->hij", v, v).reshape(len(v), -1) for v in values)
    n, m = values[0].shape[1], values[1].shape[1]
    return np.asarray((one.T @ square @ two).reshape(n, n, m, m).transpose(0, 2, 1, 3).reshape(n * m, n * m))


def _not_negative(covariance: Floats) -> Floats:
    """Return the covariance without negative eigenvalues: of features that go together it is only nearly one."""
    values, axes = np.linalg.eigh(covariance)
    return np.asarray((axes * np.maximum(values, 0.0)) @ axes.T)


def unknown(family: Family, values: dict[int, int | None], likely: float) -> Doubt:
    """Return what is unknown of a family before anyone is asked, in units of the residuals' variance.

    `values` has the number of values of private features; None for a number.
    """
    inside = tuple(j for j in family if j in values)
    usual = [_usual(values[j], len(inside), len(family)) for j in inside]
    square, *kinds = (_products(each) for each in zip(*([u.square, *u.falls] for u in usual), strict=True))
    second = (1 - CURVED) * second_moment([u.single for u in usual], square)
    second += CURVED * second_moment([u.terms for u in usual], np.mean(kinds, axis=0))
    size = likely * float(np.mean(SHARES))
    ways = _usual_ways() if len(family) > len(inside) else _one_way()
    shares = tuple(np.full(u.single.shape[1], 1 / u.single.shape[1]) for u in usual)
    return Doubt(inside, shares, size * second, ways)


def _products(squares: Sequence[Floats]) -> Floats:
    """Return the squares of one feature's coefficients, or the products of two features'."""
    return squares[0] if len(squares) == 1 else np.outer(*squares)


@dataclass(frozen=True, eq=False)
class _Usual:
    """A feature's functions over places, people even, with the expected squares of their coefficients."""

    single: Floats
    square: Floats
    terms: Floats
    falls: Floats

    def over(self, averaging: Floats) -> _Usual:
        """Return the same over coarse places."""
        return replace(self, single=self.single @ averaging, terms=self.terms @ averaging)


@lru_cache(maxsize=64)
def _usual(n_values: int | None, n_private: int, n_features: int) -> _Usual:
    """Return what a feature's effects are made of, over coarse places."""
    if n_values is not None:
        centred = np.eye(n_values) - 1 / n_values
        each = np.full(n_values, n_values / max(n_values - 1, 1))
        return _Usual(centred, each, centred, np.tile(each, (len(FALLS), 1)))
    return _numbers(n_features).over(_averaging(PLACES, n_private, category=False))


@lru_cache(maxsize=4)
def _numbers(n_features: int) -> _Usual:
    """Return the functions of a number, in an effect of so many features."""
    factors = number_factors((np.arange(PLACES) + 0.5) / PLACES, EDGE)
    centred = factors.values - factors.values.mean(axis=1, keepdims=True)
    spread, waves = (centred**2).mean(axis=1), (factors.curves**2).mean(axis=1)
    terms = slice(0, TERMS_OF_TWO if n_features > 1 else None)
    falls = factors.scaled_falls(waves, waves)[:, terms]
    return _Usual(centred, factors.prior[n_features] / factors.alike(spread, spread), factors.curves[terms], falls)


@lru_cache(maxsize=1)
def _usual_ways() -> Floats:
    each = _numbers(2)
    varies = (1 - CURVED) * (each.single.T * each.square) @ each.single
    varies += CURVED * (each.terms.T * each.falls.mean(axis=0)) @ each.terms
    return _ways(varies, np.full(PLACES, 1 / PLACES))


def _ways(varies: Floats, shares: Floats) -> Floats:
    """Return the largest eigenvalues of a covariance over public places, adding up to 1."""
    root = np.sqrt(shares)
    found = np.linalg.eigvalsh(root[:, None] * varies * root)[::-1][:MOST_WAYS]
    found = np.pad(np.maximum(found, 0.0), (0, max(MOST_WAYS - len(found), 0)))
    return np.asarray(found / found.sum()) if found.sum() > 0 else _one_way()


def _one_way() -> Floats:
    return np.asarray(np.eye(1, MOST_WAYS)[0])


def _averaging(places: int, n_private: int, category: bool) -> Floats:
    """Return the matrix that averages over coarse places."""
    if category:
        return np.eye(places)
    coarse = COARSE[n_private]
    return membership(coarse, places).T * (coarse / places)


def _added(shares: Floats, averaging: Floats) -> Floats:
    """Return shares of coarse places."""
    return np.asarray(shares @ (averaging > 0))
