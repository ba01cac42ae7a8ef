"""Simple laws of a label on cells of [0, 1], with prior weights: bumps, spans, pairs of points, and the two ends.

Few noisy reports tell little beyond place and spread. A posterior mean over simple laws says that much and no more.
"""

from __future__ import annotations

import numpy as np

from semildp._arrays import Floats

# Prior weights of the kinds, a guess; bumps alone cut one of two points off.
BUMP, SPAN, PAIR, ENDS = 0.4, 0.2, 0.2, 0.2
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)  # how much of a pair's mass is at its lower point; rarer points are left to EM
OF_ENDS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)  # likewise, of the two ends
MOST_SKEW = 10.0  # a bump's two scales differ at most so many times
NOTHING = 1e-90  # mass of an empty cell, whose logarithm is finite


def simple_laws(ends: Floats, places: Floats) -> tuple[Floats, Floats]:
    """Return laws, one per row, and the logarithms of their prior weights.

    Parameters
    ----------
    ends
        Ends of the cells that laws give mass to, ascending from 0 to 1.
    places
        Where bumps have their modes, spans their ends and pairs their points; ascending from 0 to 1.

    Returns
    -------
    laws, log_prior
        Shapes (laws, cells) and (laws,). Modes are uniform on [0, 1], scales and distances log-uniform.
    """
    kinds = (
        (BUMP, _bumps(ends, places)),
        (SPAN, _spans(ends, places)),
        (PAIR, _pairs(ends, places)),
        (ENDS, _two_ends(ends)),
    )
    laws = np.concatenate([found for _, (found, _) in kinds]) + NOTHING
    prior = np.concatenate([weight * found / found.sum() for weight, (_, found) in kinds])
    return laws / laws.sum(axis=1, keepdims=True), np.log(prior)


def _bumps(ends: Floats, places: Floats) -> tuple[Floats, Floats]:
    """Return normal laws with one scale below the mode and one above: from half a cell to 1, doubling."""
    size = np.diff(ends)
    smallest = float(size.min()) / 2
    scales = np.geomspace(smallest, 1.0, int(np.ceil(-np.log2(smallest))) + 1)
    mode, below, above = (a.ravel() for a in np.meshgrid(places, scales, scales, indexing="ij"))
    prior = np.repeat(np.gradient(places), len(scales) ** 2)
    kept = np.maximum(below, above) <= MOST_SKEW * np.minimum(below, above)
    away = (ends[1:] + ends[:-1])[None, :] / 2 - mode[kept, None]
    away *= np.where(away < 0, 1 / below[kept, None], 1 / above[kept, None])
    return np.exp(-0.5 * np.minimum(away**2, 400.0)) * size, prior[kept]


def _spans(ends: Floats, places: Floats) -> tuple[Floats, Floats]:
    """Return uniform laws between any two places."""
    first, last = np.triu_indices(len(places), 1)
    low, high = places[first, None], places[last, None]
    return np.maximum(np.minimum(ends[1:], high) - np.maximum(ends[:-1], low), 0.0), _distance_prior(places)


def _pairs(ends: Floats, places: Floats) -> tuple[Floats, Floats]:
    """Return laws with mass at two places only."""
    cell = np.minimum(np.searchsorted(ends, places), len(ends) - 2)
    first, last = np.triu_indices(len(places), 1)
    shares = np.repeat(SHARES, len(first))
    laws = np.zeros((len(shares), len(ends) - 1))
    row = np.arange(len(shares))
    np.add.at(laws, (row, np.tile(cell[first], len(SHARES))), shares)
    np.add.at(laws, (row, np.tile(cell[last], len(SHARES))), 1 - shares)
    return laws, np.tile(_distance_prior(places), len(SHARES))


def _two_ends(ends: Floats) -> tuple[Floats, Floats]:
    """Return laws with mass at the two ends only: labels of which there are two, as 0 and 1, lie there."""
    laws = np.zeros((len(OF_ENDS), len(ends) - 1))
    laws[:, 0], laws[:, -1] = OF_ENDS, 1 - np.array(OF_ENDS)
    return laws, np.ones(len(laws))


def _distance_prior(places: Floats) -> Floats:
    """Return the prior weight of each two places: uniform in place, log-uniform in distance."""
    first, last = np.triu_indices(len(places), 1)
    gap = np.gradient(places)
    return np.asarray(gap[first] * gap[last] / (places[last] - places[first]))
