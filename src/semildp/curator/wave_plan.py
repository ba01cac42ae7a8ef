"""What the next people should be asked: the question that is expected to leave least error, from reports so far."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TypeVar

import numpy as np

from semildp._arrays import Bools, Floats, Ints
from semildp.curator.effects.evidence import SHARES
from semildp.curator.effects.factors import visible
from semildp.curator.effects.fitting import ALONE, ASKED_BINS, MOST_LIKELY, TOGETHER
from semildp.curator.effects.reading import Family
from semildp.curator.pair_plan import MOST_NUMBERS, PUBLIC_SHARE, REACHES, cut_normal
from semildp.mechanisms import best_pair_response

Number = TypeVar("Number", float, Floats)

# Two numbers of bins, each for half of the people: steps are located better.
BINS = ((2, 2), (2, 3), (3, 4), (4, 5), (5, 6), (7, 8))
MOST_DOUBT = 0.035  # of the residuals' variance: more is not thought to be unknown of one family; a guess
CUT = 0.5  # guess: residuals lose so much of what normal ones would lose by being cut
UNLIKELY = 0.3  # guess: a feature whose effects are by this factor less likely than before is not asked about again
MOST_TOGETHER = 4  # features that are asked about two at a time: six pairs


@dataclass(frozen=True)
class Plan:
    """What is asked of people who hide features.

    Parameters
    ----------
    features
        The private features that are worth asking about; none: the residual alone is asked for.
    together
        How many of them each person is asked about at a time, 1 or 2.
    bins
        Two numbers of bins of a number's axis; a person is asked with one of them for each feature.
    reach
        Where residuals are cut, in their standard deviations.
    error
        Expected error of the model in the end, in units of the residuals' variance.
    """

    features: tuple[int, ...]
    together: int
    bins: tuple[int, int]
    reach: float
    error: float

    @property
    def spread(self) -> float:
        """Mean square of cut residuals, in units of the squared reach."""
        return cut_normal(self.reach)[1] / self.reach**2

    def bins_of(self, features: Family, values: Sequence[int | None], *, turned: bool) -> tuple[int, ...]:
        """Return the bins in which to ask about features; `turned` says which of the two numbers comes first."""
        numbers = itertools.cycle(self.bins[::-1] if turned else self.bins)
        return tuple(values[j] or next(numbers) for j in features)


@dataclass(frozen=True, eq=False)
class Families:
    """Families of effects as arrays, one entry each.

    Parameters
    ----------
    first, second
        The private features of a family; -1 if there is no second.
    every, shown
        Doubt in all; and (column k - 1) of averages over k bins, 0 for one bin.
    category
        Whether all of its private features are categories.
    """

    first: Ints
    second: Ints
    every: Floats
    shown: Floats
    category: Bools

    def only(self, chosen: Bools) -> Families:
        """Return some of them."""
        return Families(*(getattr(self, each.name)[chosen] for each in fields(self)))


@dataclass(frozen=True)
class Known:
    """What is known before the next people are asked.

    Parameters
    ----------
    doubt
        Of every family of effects, the variance of what is still unknown, in units of the residuals' variance: by
        number of bins, of averages over bins of private features; under None, in all.
    values
        Number of values of each private category; None for a number.
    n_public
        How many public features there are.
    precision
        What labels so far tell of a mean: their number over their noise variance, in units of the residuals' variance.
    explained
        What effects found so far explain, in units of the residuals' variance.
    likely
        For private features, the probability that there is an effect of it, alone or with another.
    """

    doubt: Mapping[Family, Mapping[int | None, float]]
    values: Mapping[int, int | None]
    n_public: int
    precision: float
    explained: float = 0.0
    likely: Mapping[int, float] = field(default_factory=dict)

    @cached_property
    def families(self) -> Families:
        """The same doubt as arrays."""
        inside = [[j for j in family if j in self.values] for family in self.doubt]
        pairs = np.array([(*private, -1, -1)[:2] for private in inside], dtype=np.int64).reshape(-1, 2)
        each = list(self.doubt.values())
        shown = np.array([[0.0, *(doubt[b] for b in ASKED_BINS if b is not None)] for doubt in each])
        category = np.array([all(self.values[j] for j in private) for private in inside], dtype=np.bool_)
        every = np.array([doubt[None] for doubt in each], dtype=np.float64)
        return Families(pairs[:, 0], pairs[:, 1], every, shown.reshape(len(each), len(ASKED_BINS)), category)


def unknown(private: tuple[int, ...], public: tuple[int, ...]) -> dict[Family, dict[int | None, float]]:
    """Return what is unknown of every family before anyone is asked."""
    alone: list[Family] = [(j,) for j in private]
    pairs: list[Family] = [*itertools.product(private, public)]
    if len(private) <= MOST_TOGETHER:
        pairs += itertools.combinations(private, 2)
    usual = float(np.mean(SHARES))
    found = {}
    for families, expected in ((alone, ALONE), (pairs, TOGETHER)):
        for family in families:
            size = min(expected / len(families), MOST_LIKELY) * usual
            asked = sum(j in private for j in family)
            found[family] = {bins: size * (1.0 if bins is None else visible(bins) ** asked) for bins in ASKED_BINS}
    return found


def plan_question(known: Known, n_people: int, epsilon: float, *, probe: bool) -> Plan:
    """Choose among asking for the residual alone, with one private feature, or with two.

    A probe that asks about few features asks about two at a time: it must tell whether they go together.
    """
    plans = [_plan(known, n_people, epsilon, (), 0, BINS[0])]
    for features, bins in itertools.product(_worth(known, probe=probe), BINS):
        several = 2 <= len(features) <= MOST_TOGETHER
        if not several or (not probe and len(known.values) <= MOST_TOGETHER):
            plans.append(_plan(known, n_people, epsilon, features, 1, bins))
        if several:
            plans.append(_plan(known, n_people, epsilon, features, 2, bins))
    return min(plans, key=lambda plan: plan.error)


def _worth(known: Known, *, probe: bool) -> list[tuple[int, ...]]:
    """Return the sets of features that may be asked about.

    A probe asks about all, or none. Of many features the few that are likeliest to have an effect are left then, and
    are asked about two at a time, to tell whether they go together.
    """
    usual = min(ALONE / max(len(known.values), 1), MOST_LIKELY)
    worth = [j for j in known.values if known.likely.get(j, usual) >= UNLIKELY * usual]
    if not worth:
        return []
    if probe or len(known.values) <= MOST_TOGETHER:
        return [tuple(worth)]
    worth.sort(key=lambda j: -known.likely.get(j, usual))
    return [tuple(sorted(worth[:count])) for count in range(1, min(MOST_TOGETHER, len(worth)) + 1)]


def _plan(
    known: Known, n: int, epsilon: float, features: tuple[int, ...], together: int, bins: tuple[int, int]
) -> Plan:
    """Choose the reach for a question, and say what error it is expected to leave."""
    sizes = [float(known.values[j] or sum(bins) / 2) for j in features] or [1.0]
    cells = max(1, round(float(np.mean(sizes)) ** together))
    if together == 2 and not any(known.values[j] for j in features):
        cells = bins[0] * bins[1]
    plans = []
    for reach in REACHES:
        kept, square = cut_normal(reach)
        noise = best_pair_response(epsilon, cells, square / reach**2).noise(square / reach**2) * reach**2
        plans.append(Plan(features, together, bins, reach, _error(known, n / noise, kept, features, together, bins)))
    return min(plans, key=lambda plan: plan.error)


def _error(
    known: Known, told: float, kept: float, features: tuple[int, ...], together: int, bins: tuple[int, int]
) -> float:
    """Return the error that is expected to be left: of the public prediction, and of every family of effects.

    A number of prior variance s, told of with precision t of which a part `kept` arrives, is left with s / (1 + s t
    kept^2), and is (1 - kept) too small.
    """
    numbers = min(1 + known.n_public, MOST_NUMBERS)
    error = numbers * _left(PUBLIC_SHARE / numbers, known.precision + told * kept**2, kept)
    error += known.explained * CUT * (1 - kept) ** 2
    families, n = known.families, len(features)
    told_of = np.isin(families.first, features) & (families.second < 0)
    if together == 2:
        told_of |= np.isin(families.first, features) & np.isin(families.second, features)
    error += float(np.minimum(families.every[~told_of], MOST_DOUBT).sum())
    if told_of.any():
        each = families.only(told_of)
        chance = np.where(each.second < 0, together / n, 2 / max(n * (n - 1), 1))
        precision = chance * told * kept**2
        numbers_left = sum(_left_of(each, b, precision, kept) for b in bins) / len(bins)
        categories_left = _left(np.minimum(each.every, MOST_DOUBT), precision, kept)
        error += float(np.where(each.category, categories_left, numbers_left).sum())
    return error


def _left_of(families: Families, bins: int, precision: Floats, kept: float) -> Floats:
    """Return what is left of families that are asked about in so many bins.

    What k bins show beyond k - 1 is one number more to be found; what even `bins` do not show is left.
    """
    cap = np.minimum(1.0, MOST_DOUBT / np.maximum(families.every, 1e-300))
    more = np.maximum(np.diff(families.shown[:, :bins], axis=1), 0.0) * cap[:, None]
    unseen = np.maximum(cap * families.every - more.sum(axis=1), 0.0)
    return np.asarray(unseen + _left(more, precision[:, None], kept).sum(axis=1))


def _left(signal: Number, precision: Number, kept: float) -> Number:
    told = signal * precision / (1 + signal * precision)
    return signal * (1 - told) + signal * told * CUT * (1 - kept) ** 2
