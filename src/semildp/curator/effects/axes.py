"""The axes of features: where they are cut into places, who is at which, and which functions of them are tried."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semildp._arrays import Floats
from semildp.backends import fold
from semildp.curator.effects.factors import EDGE, PLACES, PUBLIC_PLACES, Factors, category_factors, number_factors
from semildp.curator.effects.functions import Functions
from semildp.curator.effects.people import BATCH, Asked, publics
from semildp.curator.effects.places import BucketCounts, Places
from semildp.domains import FeatureBounds
from semildp.models.places import even_cuts
from semildp.study import Study

Codes = NDArray[np.signedinteger[Any]]  # places in the smallest type that holds them
_FEWEST = 2  # places: an axis of one tells nothing


@dataclass(frozen=True, eq=False)
class Axes:
    """One axis per feature that effects may depend on.

    Parameters
    ----------
    cuts
        Where each axis, scaled to [0, 1], is cut. Private numbers have equal places; public ones about as many people
        at each; a category has a place per value.
    shares
        Share of people at each place. Where a public entry is missing, the place is one beyond the last.
    factors
        Functions tried on each axis.
    levelled
        For private numbers, the matrix that tells what functions stand for at each place: see `Whereabouts`.
    """

    cuts: dict[int, tuple[float, ...]]
    shares: dict[int, Floats]
    factors: dict[int, Factors]
    levelled: dict[int, Floats] = field(default_factory=dict)

    def functions(self) -> Functions:
        """Return the functions with mean 0 over the people; where an entry is missing they are 0."""
        values, prior, variance, falls = {}, {}, {}, {}
        for j, factors in self.factors.items():
            shares = self.shares[j]
            there = shares[: factors.values.shape[1]]
            weight = there / max(float(there.sum()), 1e-300)
            every = np.concatenate([factors.values, factors.curves])
            if j in self.levelled:
                every = every @ self.levelled[j].T
            centred = every - (every @ weight)[:, None]
            values[j] = np.pad(centred, ((0, 0), (0, len(shares) - len(there))))
            square, even, single = (centred**2) @ weight, (centred**2).mean(axis=1), len(factors.values)
            prior[j], variance[j] = factors.prior, factors.alike(square[:single], even[:single])
            falls[j] = factors.scaled_falls(square[single:], even[single:])
        categories = frozenset(j for j, factors in self.factors.items() if factors.first_step == 0)
        return Functions(values, prior, variance, categories, falls)


def known_places(study: Study, cuts: dict[int, tuple[float, ...]], public: Floats, private: frozenset[int]) -> Codes:
    """Return the place of each person (row) on each axis (column).

    A missing entry is -1 for a private feature: reports may tell. For a public one it is a place of its own.
    """
    bounds = study.bounds
    found = np.full(public.shape, -1, dtype=code_type(cuts), order="F")
    for j, cut in cuts.items():
        unit, missing = _unit(bounds, public, j), -1 if j in private else len(cut) + 1
        gone = np.isnan(unit)
        if not gone.any():
            found[:, j] = _axis(cut)(unit)
        elif gone.all():
            found[:, j] = missing
        else:
            found[:, j] = np.where(gone, missing, _axis(cut)(np.where(gone, 0.0, unit)))
    return found


def _unit(bounds: FeatureBounds, public: Floats, j: int) -> Floats:
    """Return one feature scaled to [0, 1], as `FeatureBounds.scale` does with all."""
    low, high = bounds.low[j], bounds.high[j]
    return np.asarray((np.clip(public[:, j], low, high) - low) / (high - low))


def code_type(cuts: dict[int, tuple[float, ...]]) -> type[np.signedinteger[Any]]:
    """Return the smallest type that holds every place, that of missing entries included, and -1."""
    most = max((len(cut) + 1 for cut in cuts.values()), default=0)
    return np.int8 if most < 2**7 else np.int16 if most < 2**15 else np.int32


@lru_cache(maxsize=64)
def _axis(cuts: tuple[float, ...]) -> Places:
    return Places.of(cuts)


def axis_cuts(
    study: Study, people: list[Asked], private: frozenset[int], columns: tuple[int, ...], places: int = PLACES
) -> dict[int, tuple[float, ...]]:
    """Cut the axes of private features and of the public columns; one that is the same for all is left out.

    Those of private numbers are cut into so many `places`.
    """
    cuts: dict[int, tuple[float, ...]] = {}
    n_values = study.n_values
    for j in sorted({*private, *columns}):
        cuts[j] = even_cuts(n_values[j] or places)
    numbers = [j for j in cuts if j not in private and n_values[j] is None]
    for j, (quantiles, least) in zip(numbers, _quantiles(study, people, numbers), strict=True):
        inner = np.unique(quantiles)
        cuts[j] = tuple(inner[inner > least].tolist())
    return {j: cut for j, cut in cuts.items() if len(cut) + 1 >= _FEWEST}


def _quantiles(study: Study, people: list[Asked], numbers: list[int]) -> list[tuple[Floats, float]]:
    """Return, for public numbers scaled to [0, 1], what divides people into as many as there are places; and the least.

    Of few people they are sorted; of many, buckets are counted: the same numbers.
    """
    shares, bounds = even_cuts(PUBLIC_PLACES), study.bounds

    def units() -> Iterator[Floats]:
        return (np.array([_unit(bounds, public, j) for j in numbers]).T for public in publics(people))

    if not numbers:
        return []
    if sum(len(each) for each in people) > BATCH:
        return fold(BucketCounts.of, units()).order_statistics(units(), shares)
    there = [x[~np.isnan(x)] for unit in units() for x in unit.T]
    return [(np.quantile(x, shares, method="higher"), float(x.min())) if len(x) else (np.zeros(0), 0.0) for x in there]


def factors_on(study: Study, cuts: dict[int, tuple[float, ...]], private: frozenset[int]) -> dict[int, Factors]:
    """Return the functions tried on each axis; a place stands for the middle between its cuts."""
    found, n_values = {}, study.n_values
    for j, cut in cuts.items():
        values = n_values[j]
        ends = np.array([0.0, *cut, 1.0])
        middles = (ends[1:] + ends[:-1]) / 2
        found[j] = (
            number_factors(middles, EDGE if j in private else 0.0) if values is None else category_factors(values)
        )
    return found
