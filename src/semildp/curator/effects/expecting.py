"""Where a private feature is expected to lie given what is public: a penalised linear regression of noisy bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats
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
    def of(cls, seen: Floats) -> PublicView:
        """Find means and scales; a column that does not vary has scale 1."""
        if not len(seen):
            return cls(np.zeros(seen.shape[1]), np.ones(seen.shape[1]))
        there = ~np.isnan(seen)
        count = np.maximum(there.sum(axis=0), 1)
        mean = np.where(there, seen, 0.0).sum(axis=0) / count
        scale = np.sqrt(np.where(there, (seen - mean) ** 2, 0.0).sum(axis=0) / count)
        return cls(mean, np.where(scale > 0, scale, 1.0))

    def standard(self, seen: Floats) -> Floats:
        """Return rows with mean 0 and variance 1 in each column."""
        return np.nan_to_num((seen - self.mean) / self.scale)


def expect(feature: int, shares: Floats, asked: list[tuple[EffectReports, Floats]], view: PublicView) -> Expectation:
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
    asked
        Reports, and the public columns of those who sent them.
    view
        How columns are standardised.
    """
    n = sum(len(reports) for reports, _ in asked)
    if n < 2:
        return Expectation.constant(feature, shares)
    seen = [(reports, view.standard(columns)) for reports, columns in asked]
    gram = sum(x.T @ x for _, x in seen) / n
    cross = sum(reports.products(feature, x) for reports, x in seen) / n
    cross = cross - np.outer(sum(x.sum(axis=0) for _, x in seen) / n, shares)
    noise = np.sum([reports.indicator_noise(feature) for reports, _ in seen], axis=0) / n**2
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
