"""From pair reports to the effect of each private feature, shrunk by the known noise: a line, then its bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semildp._kernels.sums import counts_by_group, sums_by_group
from semildp.curator.shrinking import shrink, to_simplex
from semildp.wire import PairQuestion, PairReports

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_FIXED_POINT = 2.0**20


@dataclass(frozen=True, eq=False)
class PairTotals:
    """Sums over pair reports, whole numbers only; two totals of the same question merge with `+`.

    Parameters
    ----------
    people
        How many people answered about each feature.
    marks
        How many reports mark each value: feature x bin x level.
    shift, shift_marks
        The same with each person counting as the change of their public prediction since the question was asked, in
        units of 2**-20 of the residuals' reach; `shift_marks` is feature x bin.
    """

    people: Ints
    marks: Ints
    shift: Ints
    shift_marks: Ints

    def __add__(self, other: PairTotals) -> PairTotals:
        return PairTotals(
            self.people + other.people,
            self.marks + other.marks,
            self.shift + other.shift,
            self.shift_marks + other.shift_marks,
        )


@dataclass(frozen=True, eq=False)
class Effects:
    """What each private feature adds to the public prediction, in label units.

    Parameters
    ----------
    slopes, centres
        Per feature asked about, a line on its values scaled to [0, 1]: slope * (value - centre).
    steps
        One row per feature, one column per bin: what is added beyond the line.
    """

    slopes: Floats
    centres: Floats
    steps: Floats

    def at(self, unit: Floats) -> Floats:
        """Return the sum of effects for rows of values scaled to [0, 1]."""
        n_bins = self.steps.shape[1]
        bins = np.minimum(unit * n_bins, n_bins - 1).astype(np.int64)
        return np.asarray(
            (unit - self.centres) @ self.slopes + self.steps[np.arange(len(self.steps)), bins].sum(axis=1)
        )


def residual_estimates(question: PairQuestion, reports: PairReports) -> Floats:
    """Return each person's unbiased (and very noisy) residual, as far as it was within reach."""
    code = question.code
    score = code.scores[reports.value % code.levels]
    summed = np.bincount(reports.person, weights=score, minlength=len(reports.feature))
    return np.asarray(question.reach * code.per_score * summed)


def tally_pairs(question: PairQuestion, reports: PairReports, shift: Floats) -> PairTotals:
    """Sum up reports; `shift` is what has been added to each person's public prediction since they were asked."""
    code, n_features = question.code, len(question.features)
    shape = (n_features, code.n_candidates, code.levels)
    fixed = np.rint(shift / question.reach * _FIXED_POINT).astype(np.int64)
    marker = reports.feature[reports.person]
    candidate = marker * code.n_candidates + reports.value // code.levels
    marks = counts_by_group(candidate * code.levels + reports.value % code.levels, int(np.prod(shape)))
    return PairTotals(
        people=counts_by_group(reports.feature, n_features),
        marks=marks.reshape(shape),
        shift=sums_by_group(reports.feature, fixed, n_features),
        shift_marks=sums_by_group(candidate, fixed[reports.person], shape[0] * shape[1]).reshape(shape[:2]),
    )


def estimate_effects(question: PairQuestion, totals: PairTotals) -> Effects:
    """Turn totals into shrunk effects.

    With n people in a bin and D their residuals' sum beyond its share of the mean, a line is fitted to the D / n and
    shrunk by its noise; what it leaves of each D is shrunk too (`shrink`).
    """
    code, bins = question.code, question.code.n_candidates
    middles = (np.arange(bins) + 0.5) / bins
    slopes, centres = np.zeros(len(totals.people)), np.full(len(totals.people), 0.5)
    steps = np.zeros((len(totals.people), bins))
    for j, n in enumerate(totals.people):
        if n == 0:
            continue
        seen = totals.marks[j]
        people = to_simplex(code.per_mark * seen.sum(axis=1) + code.per_person * n, int(n))
        shift = (code.per_mark * totals.shift_marks[j] + code.per_person * totals.shift[j]) / _FIXED_POINT
        residual = question.reach * (code.per_score * (seen @ code.scores) - shift)
        noise = question.reach**2 * code.per_square * (seen @ code.scores**2)
        excess = residual - people * residual.sum() / n
        centres[j] = people @ middles / n
        least = code.per_mark * np.sqrt(seen.sum(axis=1))  # fewer people in a bin could as well be noise
        steepest = question.reach / max(centres[j], 1 - centres[j])
        slopes[j] = np.clip(_line(middles - centres[j], np.maximum(people, least), excess, noise), -steepest, steepest)
        if bins > 2:
            left = excess - people * slopes[j] * (middles - centres[j])
            less = noise * (bins - 2) / (bins - 1)  # the line has taken its share of the noise
            steps[j] = shrink(left, people, less, question.reach**2 / 8)
    return Effects(slopes, centres, steps)


def _line(place: Floats, people: Floats, excess: Floats, noise: Floats) -> float:
    """Fit a line through the bins' means and shrink it by its noise; no line where noise alone could be it."""
    square = float(people @ place**2)
    if square <= 0:
        return 0.0
    slope, variance = float(place @ excess) / square, float(place**2 @ noise) / square**2
    return slope * max(0.0, 1 - variance / slope**2) if slope else 0.0
