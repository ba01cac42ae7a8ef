"""What is still unknown of a family of effects: how its averages over coarse places vary, from what reports tell."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from semildp._arrays import Floats
from semildp.curator.effects.evidence import SHARES, Posterior
from semildp.curator.effects.factors import EDGE, PLACES, number_factors
from semildp.curator.effects.reading import Family
from semildp.curator.effects.weighing import Functions
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
    """

    private: Family
    shares: tuple[Floats, ...]
    covariance: Floats
    ways: Floats

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
        return float(self.people @ np.diag(self.covariance))

    def __mul__(self, factor: float) -> Doubt:
        return replace(self, covariance=factor * self.covariance)

    def __add__(self, other: Doubt) -> Doubt:
        mine, its = self.total, other.total
        ways = (mine * self.ways + its * other.ways) / (mine + its) if mine + its > 0 else self.ways
        return replace(self, covariance=self.covariance + other.covariance, ways=ways)


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
    return replace(doubts[0], covariance=covariance, ways=ways[ways > 1e-3 * ways.max()])


def doubt_of(p: Posterior, functions: Functions, shares: dict[int, Floats], private: list[int], chance: float) -> Doubt:
    """Return what is unknown of an effect that is there with some chance."""
    inside = tuple(j for j in p.family if j in private)
    averaging = [_averaging(functions.values[j].shape[1], len(inside), j in functions.categories) for j in inside]
    values = [functions.values[j] @ a for j, a in zip(inside, averaging, strict=True)]
    coarse = tuple(_added(shares[j], a) for j, a in zip(inside, averaging, strict=True))
    mean = chance * averaging[0].T @ p.mean
    if len(inside) == 2:
        mean = (mean @ averaging[1]).ravel()
    if len(p.family) == len(inside):
        covariance = chance * second_moment(values, p.square) - np.outer(mean, mean)
        return Doubt(inside, coarse, _not_negative(covariance), _one_way())
    public = shares[p.family[1]]
    other = functions.values[p.family[1]]
    square = p.square * ((other**2) @ public)
    covariance = chance * second_moment(values, square.sum(axis=1)) - (mean * public) @ mean.T
    return Doubt(inside, coarse, _not_negative(covariance), _ways(other, public, square.sum(axis=0)))


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
    square = usual[0][1] if len(usual) == 1 else np.outer(usual[0][1], usual[1][1])
    size = likely * float(np.mean(SHARES))
    ways = _usual_ways() if len(family) > len(inside) else _one_way()
    shares = tuple(np.full(v.shape[1], 1 / v.shape[1]) for v, _ in usual)
    return Doubt(inside, shares, size * second_moment([v for v, _ in usual], square), ways)


@lru_cache(maxsize=64)
def _usual(n_values: int | None, n_private: int, n_features: int) -> tuple[Floats, Floats]:
    """Return a feature's functions over coarse places, and the expected square of their coefficients, people even."""
    if n_values is not None:
        centred = np.eye(n_values) - 1 / n_values
        return centred, np.full(n_values, n_values / max(n_values - 1, 1))
    centred, prior, spread = _numbers()
    return centred @ _averaging(PLACES, n_private, category=False), prior[n_features] / spread


@lru_cache(maxsize=1)
def _numbers() -> tuple[Floats, dict[int, Floats], Floats]:
    factors = number_factors((np.arange(PLACES) + 0.5) / PLACES, EDGE)
    centred = factors.values - factors.values.mean(axis=1, keepdims=True)
    spread = (centred**2).mean(axis=1)
    return centred, factors.prior, factors.alike(spread, spread)


@lru_cache(maxsize=1)
def _usual_ways() -> Floats:
    centred, prior, spread = _numbers()
    return _ways(centred, np.full(PLACES, 1 / PLACES), prior[2] / spread)


def _ways(values: Floats, shares: Floats, square: Floats) -> Floats:
    """Return the largest eigenvalues of the covariance over public places, adding up to 1."""
    root = values * np.sqrt(shares) * np.sqrt(np.maximum(square, 0.0))[:, None]
    found = np.linalg.eigvalsh(root.T @ root)[::-1][:MOST_WAYS]
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
