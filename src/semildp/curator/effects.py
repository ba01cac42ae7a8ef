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
    """Turn totals into effects, shrunk by what is known of all features together.

    With n people in a bin and D their residuals' sum beyond its share of the mean, a line is fitted to the D / n of
    each feature. All lines are shrunk by one variance (`shrink`): among a hundred features noise gives some a slope,
    but hardly all. What the lines leave of all D is shrunk in the same way.
    """
    code, bins = question.code, question.code.n_candidates
    middles = (np.arange(bins) + 0.5) / bins
    asked = totals.people[:, None]
    seen = totals.marks.sum(axis=2)
    counts = code.per_mark * seen + code.per_person * asked
    people = np.array([to_simplex(row, float(n)) for row, n in zip(counts, totals.people, strict=True)])
    shift = (code.per_mark * totals.shift_marks + code.per_person * totals.shift[:, None]) / _FIXED_POINT
    residual = question.reach * (code.per_score * (totals.marks @ code.scores) - shift)
    noise = question.reach**2 * code.per_square * (totals.marks @ code.scores**2)
    excess = residual - people * residual.sum(axis=1, keepdims=True) / np.maximum(asked, 1)
    centres = np.where(totals.people > 0, people @ middles / np.maximum(totals.people, 1), 0.5)

    place = middles - centres[:, None]
    least = code.per_mark * np.sqrt(seen)  # fewer people in a bin could as well be noise
    square = (np.maximum(people, least) * place**2).sum(axis=1)
    steepest = question.reach / np.maximum(centres, 1 - centres)
    slopes = shrink((place * excess).sum(axis=1), square, (place**2 * noise).sum(axis=1))
    slopes = np.clip(slopes, -steepest, steepest)
    steps = np.zeros_like(people)
    if bins > 2:
        left, less = _beyond_lines(people, place, excess), noise * (bins - 2) / bins
        steps = shrink(left, people, less, question.reach**2 / 8)
    return Effects(slopes, centres, steps)


def _beyond_lines(people: Floats, place: Floats, excess: Floats) -> Floats:
    """Take off the line that fits best, not the shrunk one: the difference is noise, and would pass for steps."""
    square = (people * place**2).sum(axis=1, keepdims=True)
    slope = (place * excess).sum(axis=1, keepdims=True) / np.where(square > 0, square, 1.0)
    return np.asarray(excess - people * slope * place)
