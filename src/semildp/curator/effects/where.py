"""Where people are on the axes of features, and how private numbers go together: from all reports to all questions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from semildp._arrays import Floats
from semildp.curator.effects.density import Whereabouts, whereabouts_of
from semildp.curator.effects.people import BATCH
from semildp.curator.effects.reading import Reading
from semildp.curator.effects.reports import EffectReports
from semildp.curator.effects.together import Cells, together_of

MISSED = 0.1  # guess: of what public features tell of where people are, what no line shows


def whereabouts(j: int, cut: tuple[float, ...], reports: list[EffectReports]) -> Whereabouts:
    """Return where people are on the axis of a private number, from all reports."""
    found = [(each.bin_counts(j) / len(each), each.bin_noise(j)) for each in _asked_about(j, reports)]
    places = len(cut) + 1
    return whereabouts_of(found, places) if found else Whereabouts(np.full(places, 1 / places), np.eye(places), 1.0)


def shares_of(j: int, cut: tuple[float, ...], reports: list[EffectReports], told: frozenset[int]) -> Floats:
    """Return the share of people at each place: known of public features, from all reports of a private category."""
    if j not in told:
        counts = [
            np.bincount(part.known[:, j], minlength=len(cut) + 2) for each in reports for _, part in each.batches(BATCH)
        ]
        return np.asarray(np.sum(counts, axis=0) / max(sum(len(each) for each in reports), 1))
    asked = _asked_about(j, reports)
    if not asked:
        return np.full(len(cut) + 1, 1 / (len(cut) + 1))
    weight = np.array([len(each) for each in asked], dtype=np.float64)
    return np.asarray(np.average([each.bin_counts(j) / len(each) for each in asked], axis=0, weights=weight))


def joint_of(
    reports: list[EffectReports], shares: dict[int, Floats], numbers: list[int]
) -> tuple[dict[tuple[int, int], Floats], dict[tuple[int, int], float]]:
    """Estimate how private numbers that were asked about together go together, and what is unclear of it."""
    told: dict[tuple[int, int], list[Cells]] = {}
    for each in _with_cells(reports):
        if len(each.features) == 2 and set(each.features) <= set(numbers) and len(each):
            first, second = each.features
            counted, noise = (x.reshape(each.bins) for x in (each.counted / len(each), each.share_noise))
            if first > second:
                first, second, counted, noise = second, first, counted.T, noise.T
            told.setdefault((first, second), []).append(Cells(counted, noise, each.weight))
    found, unclear = {}, {}
    for (j, k), cells in told.items():
        together, unclear[j, k] = together_of(cells, shares[j], shares[k])
        if together is not None:
            found[j, k], found[k, j] = together, together.T
    return found, unclear


def unclear_of(
    where: Mapping[int, Whereabouts], apart: Mapping[tuple[int, int], float], readings: list[Reading]
) -> dict[tuple[int, ...], float]:
    """Return how far people may be elsewhere than is thought, for private numbers and pairs of them.

    Of what public features tell of where a person is, a share is not seen: expectations are linear.
    """
    found: dict[tuple[int, ...], float] = {}
    for j, each in where.items():
        found[j,] = each.unclear + MISSED * max(reading.told_in_public(j) for reading in readings)
    for (j, k), more in apart.items():
        found[j, k] = found[j,] + found[k,] + more
    return found


def _asked_about(j: int, reports: list[EffectReports]) -> list[EffectReports]:
    """Return the reports that tell where people are on the axis of a private feature."""
    return [each for each in _with_cells(reports) if j in each.features and len(each)]


def _with_cells(reports: list[EffectReports]) -> list[EffectReports]:
    """Return the reports that tell of cells."""
    return [each for each in reports if each.signs is None]
