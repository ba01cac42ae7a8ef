"""Finding effects one after the other: each time the likeliest family, averaged over all its functions."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from functools import reduce
from operator import add

import numpy as np

from semildp._arrays import Floats
from semildp.curator.effects.evidence import SHARES, Functions, Posterior, posterior, weigh
from semildp.curator.effects.explained import Explained
from semildp.curator.effects.reading import Family, Reading

ASKED_BINS = (None, *range(2, 9))  # for which doubt is worked out
MOST_EFFECTS = 16  # found at most
LEAST = 1e-3  # of the residuals' variance: once an effect explains less, no more of its family is looked for
ALONE = 2.0  # guess: of all private features, so many have an effect of their own
MOST_LIKELY = 0.8  # guess: how likely an effect is at most, before anyone is asked
AGAIN = 0.05  # guess: how often there is a second effect of a family, a step beside a line say
TOGETHER = 1.0  # guess: so many pairs of features have an effect together


@dataclass(eq=False)
class Found:
    """Effects, and what is still unknown of every family.

    Parameters
    ----------
    effects
        Mean and variance of the sum of effects of each family, over its places.
    doubt
        Variance of what the effects of each family, further ones included, add: by number of bins, of averages over
        bins of private features; under None, of all places.
    likely
        Probability that there is an effect of each family, if there is none of the others that were not found.
    explained
        Mean square of all effects found, added up.
    """

    effects: dict[Family, tuple[Floats, Floats]] = field(default_factory=dict)
    doubt: dict[Family, dict[int | None, float]] = field(default_factory=dict)
    likely: dict[Family, float] = field(default_factory=dict)
    explained: float = 0.0


def fit_effects(
    asked: list[Reading],
    functions: Functions,
    shares: dict[int, Floats],
    private: list[int],
    numbers: list[int],
    unit: float,
) -> Found:
    """Find the effects of private features, alone and with another feature.

    Reports are explained by one effect more as long as one is likelier than none. The likeliest family is chosen and
    its effect, averaged over all functions by how likely each is, is added; then the next. In the end, when no family
    is likelier than none, each is added by how likely it is.

    Parameters
    ----------
    asked
        Reports to each question.
    functions, shares
        Functions of each feature, and the share of people at each place.
    private, numbers
        The features that are not in the public prediction, and which of them are no categories.
    unit
        Variance of residuals.
    """
    families = _families(private, sorted(functions.values))
    found, sums = Found(), Explained(asked, _lines(functions, numbers, unit))
    settled: set[Family] = set()  # of which there is no more to be found
    for last in [*[False] * MOST_EFFECTS, True]:
        each = [p for f in families if (p := _posterior(sums, functions, f, unit)) is not None]
        if not each:
            break
        log_odds = np.array([p.log_odds + _log_odds(p.family, families, found) for p in each])
        top = max(float(log_odds.max()), 0.0)
        weight = np.exp(log_odds - top)
        chance = weight / (float(weight.sum()) + np.exp(-top))
        found.likely |= {p.family: 1 / (1 + float(np.exp(-o))) for p, o in zip(each, log_odds, strict=True) if p.family not in found.effects}
        open_ = [(o, k) for k, o in enumerate(log_odds) if o >= 0 and each[k].family not in settled]
        if last or not open_:
            for p, likely in zip(each, chance, strict=True):
                _add(found, sums, p, float(likely), functions, private)
            break
        best = max(open_)[1]
        _add(found, sums, each[best], float(chance.sum()), functions, private)
        for family, factor in sums.balance():
            mean, variance = found.effects[family]
            found.effects[family] = factor * mean, factor**2 * variance
        if _average(each[best].family, each[best].mean ** 2, shares) < LEAST * unit:
            settled.add(each[best].family)
    found.explained = sum(_average(family, mean**2, shares) for family, (mean, _) in found.effects.items())
    return found


def _add(
    found: Found, sums: Explained, new: Posterior, chance: float, functions: Functions, private: list[int]
) -> None:
    """Add an effect, there with probability `chance`: its mean is chance * mean."""
    doubt = found.doubt.setdefault(new.family, {})
    for bins in ASKED_BINS:
        asked = {} if bins is None else {j: bins for j in new.family if j in private}
        asked = {j: min(b, functions.values[j].shape[1]) for j, b in asked.items()}
        doubt[bins] = doubt.get(bins, 0.0) + new.doubt(functions, asked, chance)
    mean = chance * new.mean
    variance = chance * (new.variance + new.mean**2) - mean**2
    before = found.effects.get(new.family, (0.0, 0.0))
    found.effects[new.family] = before[0] + mean, before[1] + variance
    sums.add(new.family, mean)


def _posterior(sums: Explained, functions: Functions, family: Family, unit: float) -> Posterior | None:
    parts = [
        weigh(functions, sums, k, family)
        for k, reading in enumerate(sums.asked)
        if reading.sees(family)
    ]
    return posterior(functions, family, reduce(add, parts).beside(sums.others(family)), unit) if parts else None


def _lines(functions: Functions, numbers: list[int], unit: float) -> dict[int, Floats]:
    """Return, for each private number, a line that explains the usual share of the variance."""
    usual = float(np.sqrt(np.mean(SHARES) * unit))
    return {j: usual * functions.values[j][0] / np.sqrt(functions.variance[j][0]) for j in numbers}


def _families(private: list[int], known: list[int]) -> list[Family]:
    """Each private feature alone, each with each public one, and each two private ones; the private feature first."""
    public = [k for k in known if k not in private]
    return [(j,) for j in private] + list(itertools.product(private, public)) + list(itertools.combinations(private, 2))


def _log_odds(family: Family, families: list[Family], found: Found) -> float:
    """Return the log odds, before anyone is asked, that there is an effect of this family; a second one is rare."""
    same = sum(len(f) == len(family) for f in families)
    likely = min((ALONE if len(family) == 1 else TOGETHER) / same, MOST_LIKELY)
    if family in found.effects:
        likely *= AGAIN
    return float(np.log(likely / (1 - likely)))


def _average(family: Family, table: Floats, shares: dict[int, Floats]) -> float:
    """Return the average of a table over the people."""
    for j in reversed(family):
        table = table @ shares[j]
    return float(table)
