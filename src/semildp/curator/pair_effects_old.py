"""From joint reports of a private feature's bin and the residual to the feature's effect, shrunk by the known noise."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np

from semildp._arrays import Floats, Ints
from semildp._kernels.sums import checked_sum, counts_by_group, sums_by_group
from semildp.curator.shrinking import CAUTION, effect_variance, shrink, shrink_by, to_simplex
from semildp.mechanisms import PairResponse
from semildp.models.effects import Effect
from semildp.wire.columns import Marks

_FIXED_POINT = 2.0**20


@dataclass(frozen=True, eq=False)
class PairTotals:
    """Sums over the pair reports about one feature, whole numbers only; two of the same question merge with `+`.

    Parameters
    ----------
    people
        How many people answered: an array of one number.
    marks
        How many reports mark each value: bin x level.
    shift, shift_marks
        Sum of (current - asked-time prediction) over people, and per bin over the reports that mark it, in units of
        reach * 2**-20.
    """

    people: Ints
    marks: Ints
    shift: Ints
    shift_marks: Ints

    def __add__(self, other: PairTotals) -> PairTotals:
        return PairTotals(*(checked_sum(getattr(self, f.name), getattr(other, f.name)) for f in fields(self)))


@dataclass(frozen=True)
class FeatureTerms:
    """What was asked about one feature: how bin and level were sent, the residuals' reach, whether bins have order."""

    feature: int
    response: PairResponse
    reach: float
    ordered: bool


def residual_estimates(terms: FeatureTerms, marks: Marks) -> Floats:
    """Return each person's unbiased (and very noisy) residual, as far as it was within reach."""
    response = terms.response
    score = response.scores[marks.value % response.levels]
    summed = np.bincount(marks.person, weights=score, minlength=len(marks))
    return np.asarray(terms.reach * response.per_score * summed)


def tally_pairs(terms: FeatureTerms, marks: Marks, shift: Floats) -> PairTotals:
    """Sum up reports; `shift` is what has been added to each person's public prediction since they were asked."""
    response = terms.response
    shape = (response.n_candidates, response.levels)
    fixed = np.rint(shift / terms.reach * _FIXED_POINT).astype(np.int64)
    bins = marks.value // response.levels
    return PairTotals(
        people=np.array([len(marks)], dtype=np.int64),
        marks=counts_by_group(marks.value, shape[0] * shape[1]).reshape(shape),
        shift=fixed.sum(keepdims=True),
        shift_marks=sums_by_group(bins, fixed[marks.person], shape[0]),
    )


@dataclass(frozen=True, eq=False)
class _Sums:
    """Per bin: people, sum of residuals beyond their share of the mean, noise variance of that sum, and least people.

    Fewer people than `least` in a bin could as well be noise.
    """

    people: Floats
    excess: Floats
    noise: Floats
    least: Floats


def estimate_effects(asked: list[tuple[FeatureTerms, PairTotals]]) -> tuple[Effect, ...]:
    """Turn totals into effects, shrunk by what is known of all features together.

    With n people in a bin and D their residuals' sum beyond its share of the mean, a line is fitted to the D / n of
    each number. All lines are shrunk by one variance (`shrink`): among a hundred features noise gives some a slope, but
    hardly all. What the lines leave of all D is shrunk in the same way. A category has no line: see `_category_steps`.
    """
    sums = [_sums(terms, totals) for terms, totals in asked]
    numbers = [i for i, (terms, _) in enumerate(asked) if terms.ordered]
    effects: dict[int, Effect] = {}
    if numbers:
        reach = asked[numbers[0]][0].reach
        people, excess, noise, least = (np.array([getattr(sums[i], f.name) for i in numbers]) for f in fields(_Sums))
        slopes, centres, steps = _lines_and_steps(people, excess, noise, least, reach)
        for k, i in enumerate(numbers):
            effects[i] = _effect(asked[i][0], slopes[k], centres[k], steps[k], people[k])
    categories = [i for i in range(len(asked)) if i not in effects]
    if categories:
        each = _category_steps([sums[i] for i in categories], asked[categories[0]][0].reach)
        for i, steps in zip(categories, each, strict=True):
            effects[i] = _effect(asked[i][0], 0.0, 0.5, steps, sums[i].people)
    return tuple(effects[i] for i in range(len(asked)))


def _sums(terms: FeatureTerms, totals: PairTotals) -> _Sums:
    response, n = terms.response, float(totals.people[0])
    seen = totals.marks.sum(axis=1)
    people = to_simplex(response.per_mark * seen + response.per_person * n, n)
    shift = (response.per_mark * totals.shift_marks + response.per_person * totals.shift) / _FIXED_POINT
    residual = terms.reach * (response.per_score * (totals.marks @ response.scores) - shift)
    noise = terms.reach**2 * response.per_square * (totals.marks @ response.scores**2)
    excess = residual - people * residual.sum() / max(n, 1.0)
    return _Sums(people, excess, noise, response.per_mark * np.sqrt(seen))


def _lines_and_steps(
    people: Floats, excess: Floats, noise: Floats, least: Floats, reach: float
) -> tuple[Floats, Floats, Floats]:
    """Return slopes, centres and steps of numbers, one row per feature and one column per bin."""
    bins, asked = people.shape[1], people.sum(axis=1)
    middles = (np.arange(bins) + 0.5) / bins
    centres = np.where(asked > 0, people @ middles / np.maximum(asked, 1), 0.5)
    place = middles - centres[:, None]
    square = (np.maximum(people, least) * place**2).sum(axis=1)
    steepest = reach / np.maximum(centres, 1 - centres)
    slopes = shrink((place * excess).sum(axis=1), square, (place**2 * noise).sum(axis=1))
    slopes = np.clip(slopes, -steepest, steepest)
    steps = np.zeros_like(people)
    if bins > 2:
        left, less = _beyond_lines(people, place, excess), noise * (bins - 2) / bins
        steps = shrink(left, people, less, reach**2 / 8)
    return slopes, centres, steps


def _category_steps(sums: list[_Sums], reach: float) -> list[Floats]:
    """Return the steps of categories, shrunk by the variance of all, or by its own where one stands out.

    Among k categories that explain nothing, the largest of their variances is expected about sqrt(2 log k) standard
    errors above 0. So many more are taken off before a category's own variance counts.
    """
    parts = [(s.excess, np.maximum(s.people, s.least), s.noise) for s in sums]
    excess, people, noise = (np.concatenate(column) for column in zip(*parts, strict=True))
    common = effect_variance(excess, people, noise)
    caution = CAUTION + math.sqrt(2 * math.log(len(sums)))
    own = [max(common, effect_variance(*part, caution)) for part in parts]
    return [shrink_by(variance, *part, reach**2 / 2) for variance, part in zip(own, parts, strict=True)]


def _beyond_lines(people: Floats, place: Floats, excess: Floats) -> Floats:
    """Take off the line that fits best, not the shrunk one: the difference is noise, and would pass for steps."""
    square = (people * place**2).sum(axis=1, keepdims=True)
    slope = (place * excess).sum(axis=1, keepdims=True) / np.where(square > 0, square, 1.0)
    return np.asarray(excess - people * slope * place)


def _effect(terms: FeatureTerms, slope: float, centre: float, steps: Floats, people: Floats) -> Effect:
    total = float(people.sum())
    shares = people / total if total > 0 else np.full(len(people), 1 / len(people))
    return Effect(terms.feature, float(slope), float(centre), tuple(steps.tolist()), tuple(shares.tolist()))
