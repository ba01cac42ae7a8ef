"""Where a private feature is expected to lie given what is public: a penalised linear regression of noisy bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.curator.effects.reports import EffectReports
from semildp.models.expectation import Expectation

SURE = 3.0  # log likelihood that a dependence must gain to be believed: 1 in 20 or fewer where there is none
_VARIANCES = np.concatenate([[0.0], np.logspace(-6, 0, 25)])  # of coefficients, tried


@dataclass(frozen=True, eq=False)
class PublicView:
    """Means and scales of public columns, by which they are standardised; a missing entry becomes 0."""

    mean: Floats
    scale: Floats

    @classmethod
    def of(cls, moments: Moments) -> PublicView:
        """Find means and scales; a column that does not vary has scale 1."""
        scale = np.sqrt(moments.square / np.maximum(moments.count, 1))
        return cls(moments.mean, np.where(scale > 0, scale, 1.0))

    def standard(self, seen: Floats) -> Floats:
        """Return rows with mean 0 and variance 1 in each column."""
        return np.nan_to_num((seen - self.mean) / self.scale)


@dataclass(frozen=True, eq=False)
class Moments:
    """Per column, how many entries are not missing, their mean, and the sum of squares around it; batches add up."""

    count: Ints
    mean: Floats
    square: Floats

    @classmethod
    def of(cls, seen: Floats) -> Moments:
        """Add up a batch of rows."""
        there = ~np.isnan(seen)
        count = there.sum(axis=0)
        mean = np.where(there, seen, 0.0).sum(axis=0) / np.maximum(count, 1)
        return cls(count, mean, np.where(there, (seen - mean) ** 2, 0.0).sum(axis=0))

    def __add__(self, other: Moments) -> Moments:
        count, away = self.count + other.count, other.mean - self.mean
        part = other.count / np.maximum(count, 1)
        return Moments(count, self.mean + part * away, self.square + other.square + self.count * part * away**2)


@dataclass(frozen=True, eq=False)
class Crossed:
    """Sums over people: of their number, standardised columns x, x x', and x times indicators; batches add up."""

    n_people: int
    total: Floats
    gram: Floats
    cross: Floats

    @classmethod
    def of(cls, feature: int, reports: EffectReports, x: Floats) -> Crossed:
        """Add up a batch of reports."""
        return cls(len(reports), x.sum(axis=0), x.T @ x, reports.products(feature, x))

    def __add__(self, other: Crossed) -> Crossed:
        total, gram, cross = self.total + other.total, self.gram + other.gram, self.cross + other.cross
        return Crossed(self.n_people + other.n_people, total, gram, cross)


def expect(feature: int, shares: Floats, sums: Crossed, noise: Floats, view: PublicView) -> Expectation:
    """Estimate the probability of each bin of a feature, given public columns.

    The unbiased indicators A of bins are regressed on standardised columns x. Along the principal axes of x, with
    variances e, the covariances z of x and A have mean e * b and noise variance e * v / n, v being that of A. The
    coefficients b are shrunk by the variance t that makes z likeliest, b = z t / (e t + v / n), if that is believed.

    Parameters
    ----------
    feature
        The feature; all reports have asked about it in the same number of bins.
    shares
        Share of people in each bin.
    sums
        Sums over reports and the standardised public columns of those who sent them.
    noise
        Noise variance of the indicators of bins, summed over people.
    view
        How columns are standardised.
    """
    n = sums.n_people
    if n < 2:
        return Expectation.constant(feature, shares)
    gram, cross = sums.gram / n, sums.cross / n - np.outer(sums.total / n, shares)
    noise = noise / n**2
    spread, directions = np.linalg.eigh(gram)
    keep = spread > 1e-9 * max(float(spread.max()), 1e-9)
    e, z = spread[keep][:, None], (directions.T @ cross)[keep]
    if not e.size or not (noise > 0).all():
        return Expectation.constant(feature, shares)
    variance = _likeliest(z, e, noise)
    slopes = directions[:, keep] @ (z * variance / (e * variance + noise))
    return Expectation.linear(feature, shares, slopes, view.mean, view.scale)


def _likeliest(z: Floats, e: Floats, noise: Floats) -> float:
    """Return the variance of coefficients under which the covariances are likeliest; 0 if hardly more so than under 0.

    Bins add up to one, so one of them tells nothing new: the log likelihood counts (bins - 1) / bins.
    """
    bins = z.shape[1]
    total = [e * (e * t + noise) for t in _VARIANCES]
    fits = np.array([-0.5 * (np.log(v) + z**2 / v).sum() for v in total]) * (bins - 1) / bins
    best = int(np.argmax(fits))
    return float(_VARIANCES[best]) if fits[best] > fits[0] + SURE else 0.0
