"""How people lie within the cells they are asked about: shares over places, from noisy counts of a few cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp, softmax

from semildp._arrays import Floats, Ints
from semildp.models.places import membership

_WAVES = 8  # of a density: there are no more bins than that
_SPREADS = np.logspace(-4, 1, 11)  # of a density's coefficients, tried
_UNSEEN = math.pi**2 / 6 - float((1 / np.arange(1.0, 1 + _WAVES) ** 2).sum())  # of sum 1 / k^2, what is beyond
_LEAST = 0.01  # of an even density: none is lower
_VALUES = {2: 0.15, 3: 0.05, 4: 0.05, 5: 0.05, 6: 0.05}  # guess: how often a number has so few values, evenly spaced
# People are taken to be nowhere else only if the shares say so clearly: effects would grow there.
_DOUBTED = math.log(1e-3)


@dataclass(frozen=True, eq=False)
class Whereabouts:
    """Where people are on the axis of a number: anywhere, or at a few values of it.

    Parameters
    ----------
    shares
        Share of people at each place.
    levelled
        Place x place: a function h of places stands for levelled @ h. A person at 0 or 1 may have a number that is
        always 0 or 1. Then bins tell of the average of h over all places nearer to 0 than to 1, and that is what h
        stands for there. So the row of a value's place is this average, times the chance that the number has so few
        values, given a person at this place, plus h itself, times the chance that it has not. Other rows are h itself.
    unclear
        Of the density beside an even one, the largest variance in any direction, that of waves too short for bins to
        tell included: a sum over people of a function of mean square 1 may be wrong by so much, squared. People at a
        few values have none of it.
    """

    shares: Floats
    levelled: Floats
    unclear: float


def whereabouts_of(told: Sequence[tuple[Floats, Floats]], places: int) -> Whereabouts:
    """Return where people are, from shares of equal bins, in any numbers of bins, and their variances.

    People may lie anywhere, with a density 1 + sum of a_k sqrt(2) cos(k pi x), or at m values only, evenly spaced from
    end to end of the axis: yes and no as 1 and 0, a scale from 1 to 5. Each is weighed by how likely it makes the
    shares. Before anyone is asked a_k has mean 0 and variance t / k^2, and the share of each value mean 1 / m and
    variance t / m^2; every t of a few is weighed likewise, as few people may seem to be all at one end. Few values are
    believed in `shares` only if they are far likelier: of an axis that is wrongly taken to be empty but for its ends,
    effects come out large.
    """
    shares = np.concatenate([each for each, _ in told])
    variance = np.concatenate([np.maximum(v, 1e-12) for _, v in told])
    sizes = [len(each) for each, _ in told]
    wave = np.arange(1, _WAVES + 1)
    middle = (np.arange(places) + 0.5) / places
    basis = math.sqrt(2) * np.cos(np.pi * wave * middle[:, None]) / places  # place x wave
    rows = np.concatenate([membership(bins, places) for bins in sizes])
    even = np.full(places, 1 / places)
    anywhere = likely_sums(shares - rows @ even, variance, rows @ basis, 1.0 / wave**2)
    fits, each = [anywhere.fit + math.log(1 - sum(_VALUES.values()))], [_positive(even + basis @ anywhere.mean)]
    for m, likely in _VALUES.items():
        value = np.arange(m) / (m - 1)
        inside = [np.minimum((value * bins).astype(np.int64), bins - 1) for bins in sizes]
        rows = np.concatenate([np.eye(bins)[:, at] for bins, at in zip(sizes, inside, strict=True)])
        found = likely_sums(shares - rows.sum(axis=1) / m, variance, rows, np.full(m, 1 / m**2))
        there = np.zeros(places)
        there[_places_of(m, places)] = np.maximum(1 / m + found.mean, 0.0)
        fits.append(found.fit + math.log(likely))
        each.append(_positive(there))
    chance = softmax(fits)
    sure = softmax([fits[0], *(fit + _DOUBTED for fit in fits[1:])])
    shares = sure @ np.array(each)
    unclear = float(chance[0]) * (largest(anywhere.covariance) + anywhere.spread * _UNSEEN)
    return Whereabouts(np.asarray(shares), _levelled(chance, np.array(each), shares), unclear)


def _places_of(m: int, places: int) -> Ints:
    """Return the places of m values, evenly spaced from end to end."""
    return np.minimum(np.ceil(np.arange(m) / (m - 1) * places), places - 1).astype(np.int64)


def _levelled(chance: Floats, each: Floats, shares: Floats) -> Floats:
    """Return the matrix of `Whereabouts`: `chance` and `each` have the chance and the shares of every case.

    The first is that people are anywhere, the others that there are so many values as in `_VALUES`.
    """
    places = len(shares)
    here = chance[:, None] * each
    here /= here.sum(axis=0)  # chance of each case, given a person at a place (column)
    found = np.eye(places)
    for m, likely in zip(_VALUES, here[1:], strict=True):
        at = _places_of(m, places)
        nearest = np.abs(np.arange(places)[:, None] - at).argmin(axis=1)
        for value, place in enumerate(at):
            near = np.where(nearest == value, shares, 0.0)
            found[place] += likely[place] * (near / near.sum() - np.eye(places)[place])
    return found


@dataclass(frozen=True, eq=False)
class Likely:
    """What noisy sums tell of numbers.

    Parameters
    ----------
    fit
        How likely the sums are, as a log.
    mean
        The expected numbers.
    nothing
        How likely all numbers are 0.
    covariance
        That of the numbers.
    spread
        The expected t.
    """

    fit: float
    mean: Floats
    nothing: float
    covariance: Floats
    spread: float


def likely_sums(
    left: Floats, variance: Floats, rows: Floats, prior: Floats, nothing: float = 1 / (1 + len(_SPREADS))
) -> Likely:
    """Return what numbers rows @ a + noise tell of a, whose variances are t * prior.

    Before anyone is asked t is 0 with probability `nothing`, or else each of `_SPREADS` is as likely as any other.
    """
    gram, cross = rows.T @ (rows / variance[:, None]), rows.T @ (left / variance)
    fits, means, after = [math.log(nothing)], [np.zeros_like(prior)], [np.zeros_like(gram)]
    each = math.log((1 - nothing) / len(_SPREADS))
    for t in _SPREADS:
        precision = gram + np.diag(1 / (t * prior))
        after.append(np.asarray(np.linalg.inv(precision), dtype=np.float64))
        means.append(after[-1] @ cross)
        fits.append(each + 0.5 * float(cross @ means[-1] - np.linalg.slogdet(precision * (t * prior))[1]))
    fit = float(logsumexp(fits)) - 0.5 * float((left**2 / variance).sum())
    chance = softmax(fits)
    mean = np.asarray(chance @ np.array(means))
    away = np.array(means) - mean
    covariance = np.tensordot(chance, np.array(after), 1) + away.T @ (chance[:, None] * away)
    return Likely(fit, mean, float(chance[0]), np.asarray(covariance), float(chance[1:] @ _SPREADS))


def largest(covariance: Floats) -> float:
    """Return the largest variance in any direction."""
    return float(np.linalg.eigvalsh(covariance)[-1])


def _positive(density: Floats) -> Floats:
    """Return shares that are not quite 0 anywhere, and add up to 1."""
    found = np.maximum(density, _LEAST / len(density))
    return np.asarray(found / found.sum())


def shrunk(shares: Floats, towards: Floats, variance: float) -> Floats:
    """Draw shares towards others, by James and Stein: away + (1 - variance / |away|^2) as far, or not at all."""
    away = shares - towards
    square = float((away**2).sum())
    return np.asarray(towards + max(0.0, 1 - variance / square) * away if square > 0 else towards)
