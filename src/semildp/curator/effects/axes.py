"""The axes of features: where they are cut into places, who is at which, and which functions of them are tried."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.curator.effects.factors import EDGE, PLACES, Factors, category_factors, number_factors
from semildp.curator.effects.weighing import Functions
from semildp.models.places import even_cuts, place_of
from semildp.study import Study

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
    """

    cuts: dict[int, tuple[float, ...]]
    shares: dict[int, Floats]
    factors: dict[int, Factors]

    def functions(self) -> Functions:
        """Return the functions with mean 0 over the people; where an entry is missing they are 0."""
        values, prior, variance = {}, {}, {}
        for j, factors in self.factors.items():
            shares = self.shares[j]
            there = shares[: factors.values.shape[1]]
            weight = there / max(float(there.sum()), 1e-300)
            centred = factors.values - (factors.values @ weight)[:, None]
            values[j] = np.pad(centred, ((0, 0), (0, len(shares) - len(there))))
            prior[j], variance[j] = factors.prior, factors.alike((centred**2) @ weight, (centred**2).mean(axis=1))
        categories = frozenset(j for j, factors in self.factors.items() if factors.first_step == 0)
        return Functions(values, prior, variance, categories)


def known_places(study: Study, cuts: dict[int, tuple[float, ...]], public: Floats, private: frozenset[int]) -> Ints:
    """Return the place of each person (row) on each axis (column).

    A missing entry is -1 for a private feature: reports may tell. For a public one it is a place of its own.
    """
    unit = study.bounds.scale(public)
    found = np.full(public.shape, -1, dtype=np.int64)
    for j, cut in cuts.items():
        missing = -1 if j in private else len(cut) + 1
        found[:, j] = np.where(np.isnan(unit[:, j]), missing, place_of(unit[:, j], cut))
    return found


def axis_cuts(
    study: Study, public: Floats, private: frozenset[int], columns: tuple[int, ...]
) -> dict[int, tuple[float, ...]]:
    """Cut the axes of private features and of the public columns; one that is the same for all is left out."""
    unit = study.bounds.scale(public)
    cuts: dict[int, tuple[float, ...]] = {}
    for j in sorted({*private, *columns}):
        values = study.n_values[j]
        if values is not None:
            cuts[j] = even_cuts(values)
        elif j in private:
            cuts[j] = even_cuts(PLACES)
        else:
            there = unit[~np.isnan(unit[:, j]), j]
            quantiles = np.quantile(there, even_cuts(PLACES), method="higher") if len(there) else np.zeros(0)
            inner = np.unique(quantiles)
            cuts[j] = tuple(inner[inner > (there.min() if len(there) else 0.0)].tolist())
        if len(cuts[j]) + 1 < _FEWEST:
            del cuts[j]
    return cuts


def factors_on(study: Study, cuts: dict[int, tuple[float, ...]], private: frozenset[int]) -> dict[int, Factors]:
    """Return the functions tried on each axis; a place stands for the middle between its cuts."""
    found = {}
    for j, cut in cuts.items():
        values = study.n_values[j]
        ends = np.array([0.0, *cut, 1.0])
        middles = (ends[1:] + ends[:-1]) / 2
        found[j] = number_factors(middles, EDGE if j in private else 1) if values is None else category_factors(values)
    return found
