"""From the reports of all waves to effects: axes, shares, expectations, evidence; and tables for the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from semildp._arrays import Floats
from semildp._kernels.blas import one_blas_thread
from semildp.backends import fold
from semildp.curator.effects.axes import Axes, axis_cuts, code_type, factors_on, known_places
from semildp.curator.effects.expected import Rows, rows_of
from semildp.curator.effects.expecting import Crossed, Moments, PublicView, expect
from semildp.curator.effects.factors import PLACES
from semildp.curator.effects.fitting import LEAST, PAIRED, Found, fit_effects, unseen
from semildp.curator.effects.functions import Family
from semildp.curator.effects.people import BATCH, Asked, Chosen, batches, kinds, publics
from semildp.curator.effects.reading import Reading
from semildp.curator.effects.reports import EffectReports
from semildp.curator.effects.where import joint_of, shares_of, unclear_of, whereabouts
from semildp.models import Effect, public_view
from semildp.models.bars import Unsure
from semildp.models.expectation import Expectation
from semildp.models.places import membership, within_bins
from semildp.study import Study

NOBODY = np.zeros((0, 0))  # for expectations that depend on nothing
FEW = 50  # people who show the same: fewer are not read apart


@dataclass(frozen=True, eq=False)
class Answered:
    """One question's reports, and what the people who sent them have made public."""

    reports: EffectReports
    enrolled: Asked


@dataclass(frozen=True, eq=False)
class LearntEffects:
    """Effects and expectations for the model, and what is still unknown.

    `unsure` and `rest` are for error bars: what features may add that the model does not, alone and together. `unclear`
    is for plans: how far people may be elsewhere than is thought, by private number and pair of them.
    """

    effects: tuple[Effect, ...]
    expectations: tuple[Expectation, ...]
    found: Found
    unsure: tuple[Unsure, ...] = ()
    rest: float = 0.0
    unclear: Mapping[tuple[int, ...], float] = field(default_factory=dict)


NOTHING_LEARNT = LearntEffects((), (), Found())


@one_blas_thread()
def learn_effects(
    study: Study,
    columns: tuple[int, ...],
    private: tuple[int, ...],
    answered: list[Answered],
    unit: float,
    n_private: int | None = None,
    paired: float = PAIRED,
    places: int = PLACES,
) -> LearntEffects:
    """Learn what private features add to a public prediction.

    Parameters
    ----------
    study, columns, private
        The study, the features of the public prediction, and others whose effects are looked for.
    answered
        Reports to all questions so far, or none where all were refused; those about yet other features are not used.
    unit
        Variance of residuals.
    n_private, paired
        How many private features there are (None: those whose effects are looked for), and how many pairs of them are
        expected to have an effect together.
    places
        Into how many the axis of a private number is cut.
    """
    answered = [each for each in answered if len(each.reports) and set(each.reports.features) <= set(private)]
    told = frozenset(j for each in answered for j in each.reports.features)
    n_private = n_private or len(private)
    if not told:
        return replace(NOTHING_LEARNT, rest=unseen(Found(), private, n_private, len(columns)) * unit)
    people, numbers = [each.enrolled for each in answered], [j for j in sorted(told) if study.n_values[j] is None]
    cuts = axis_cuts(study, people, told, columns, places)
    view = PublicView.of(fold(Moments.of, (public_view(study, columns, public) for public in publics(people))))
    reports = [part for each in answered for part in _reports(study, cuts, each, told)]
    every = [each for each, _ in reports]
    where = {j: whereabouts(j, cuts[j], every) for j in numbers}
    shares = {j: where[j].shares if j in where else shares_of(j, cut, every, told) for j, cut in cuts.items()}
    expectations = _expectations(study, columns, reports, shares, view)
    finest = {j: _finest(j, expectations) for j in sorted(told)}
    joint, apart = joint_of(every, shares, numbers)
    expected = [_expected(study, columns, *each, expectations, finest, shares) for each in reports]
    readings = [_reading(r, shares, joint, rows, told) for (r, _), rows in zip(reports, expected, strict=True)]
    unclear = unclear_of(where, apart, readings)
    axes = Axes(cuts, shares, factors_on(study, cuts, told), {j: each.levelled for j, each in where.items()})
    found = fit_effects(readings, axes.functions(), shares, sorted(told), numbers, unit, n_private, paired)
    effects = _effects(found, axes, LEAST * unit)
    unsure, rest = _unsure(found, axes, {effect.features for effect in effects})
    rest += unseen(found, private, n_private, len(columns)) * unit
    return LearntEffects(effects, tuple(finest.values()), found, unsure, rest, unclear)


def _finest(j: int, expectations: dict[tuple[int, int], Expectation]) -> Expectation:
    """Return the expectation of a feature in most bins; without any, that it is in the only bin."""
    found = [each for (k, _), each in expectations.items() if k == j]
    return max(found, key=lambda each: len(each.shares), default=Expectation.constant(j, np.ones(1)))


def _expected(
    study: Study,
    columns: tuple[int, ...],
    reports: EffectReports,
    enrolled: Asked,
    expectations: dict[tuple[int, int], Expectation],
    finest: dict[int, Expectation],
    shares: dict[int, Floats],
) -> dict[int, Rows]:
    """Return the probability of each bin of private features, for each person, in the bins that were asked about."""
    asked = dict(zip(reports.features, reports.bins, strict=True))

    def rows(j: int) -> Rows:
        bins = asked.get(j, len(finest[j].shares))
        exact = expectations.get((j, bins), finest[j])

        def make(chosen: slice) -> Floats:
            found = exact.at(public_view(study, columns, enrolled[chosen].public)) if exact.slopes else exact.at(NOBODY)
            return found if found.shape[1] == bins else _spread(found, bins, shares[j])

        return rows_of(len(reports), make)

    return {j: rows(j) for j in finest}


def _spread(expected: Floats, bins: int, shares: Floats) -> Floats:
    """Turn probabilities of some bins into those of others, people being spread as on average within each."""
    return expected @ within_bins(expected.shape[1], shares) @ membership(bins, len(shares)).T


def _reading(
    reports: EffectReports,
    shares: dict[int, Floats],
    joint: dict[tuple[int, int], Floats],
    expected: dict[int, Rows],
    told: frozenset[int],
) -> Reading:
    """Read reports; where residuals were turned round, so is what has been added to predictions since."""
    reading = Reading(reports, shares, joint, expected, told)
    if reports.signs is None:
        return reading
    turned = np.concatenate([np.broadcast_to(b.turned, (len(b.reports),)) for b in reading.batches()])
    return replace(reading, reports=replace(reports, shift=reports.shift * turned))


def _reports(
    study: Study, cuts: dict[int, tuple[float, ...]], each: Answered, told: frozenset[int]
) -> list[tuple[EffectReports, Asked]]:
    """Divide people by which of the features in question they show: the curator knows these.

    Where few show the same, all of them count as if they hid what they were not asked about.
    """
    kind, size = kinds(each.enrolled, sorted(told))
    kind = np.where(size < FEW, -1, np.arange(len(size)))[kind]
    parts = list[tuple[EffectReports, Asked]]()
    for k in np.unique(kind):
        reports, enrolled = each.reports, each.enrolled
        if len(size) > 1:
            chosen = np.flatnonzero(kind == k)
            reports = replace(reports, marks=reports.marks.only(kind == k), shift=reports.shift[chosen])
            enrolled = Chosen(enrolled, chosen)
        known = np.empty((len(reports), len(study.features)), dtype=code_type(cuts), order="F")
        for rows, some in batches(enrolled):
            known[rows] = known_places(study, cuts, some.public, told)
        if k < 0:
            known[:, sorted(told)] = -1
        parts.append((replace(reports, known=known), enrolled))
    return parts


def _expectations(
    study: Study,
    columns: tuple[int, ...],
    reports: list[tuple[EffectReports, Asked]],
    shares: dict[int, Floats],
    view: PublicView,
) -> dict[tuple[int, int], Expectation]:
    """Estimate where each private feature is expected, for every number of bins it was asked about in."""
    sums: dict[tuple[int, int], Crossed] = {}
    noise: dict[tuple[int, int], Floats] = {}
    for each, enrolled in reports:
        if each.signs is not None:
            continue
        asked = list(zip(each.features, each.bins, strict=True))
        for j, bins in asked:
            noise[j, bins] = noise.get((j, bins), 0.0) + each.indicator_noise(j)
        for rows, some in each.batches(BATCH):
            x = view.standard(public_view(study, columns, enrolled[rows].public))
            for j, bins in asked:
                found = Crossed.of(j, some, x)
                sums[j, bins] = sums[j, bins] + found if (j, bins) in sums else found
    return {
        (j, bins): expect(j, membership(bins, len(shares[j])) @ shares[j], found, noise[j, bins], view)
        for (j, bins), found in sums.items()
    }


def _effects(found: Found, axes: Axes, least: float) -> tuple[Effect, ...]:
    """Return the effects whose mean square is above the least."""
    every = sorted(found.effects.items())
    return tuple(
        _effect(family, axes, *tables) for family, tables in every if _mean(family, axes, tables[0] ** 2) > least
    )


def _mean(family: Family, axes: Axes, table: Floats) -> float:
    for j in reversed(family):
        table = table @ axes.shares[j]
    return float(table)


def _unsure(found: Found, axes: Axes, known: set[Family]) -> tuple[tuple[Unsure, ...], float]:
    """Return what families that are not in the model may add: one feature by its places, two on average."""
    alone, rest = list[Unsure](), 0.0
    for family, (mean, variance) in sorted(found.effects.items()):
        square = mean**2 + variance
        if family not in known and len(family) == 1:
            cuts = axes.cuts[family[0]]
            alone.append(Unsure(family[0], cuts, tuple(square[: len(cuts) + 1].tolist())))
        elif family not in known:
            rest += max(_mean(family, axes, square), 0.0)
    return tuple(alone), rest


def _effect(family: Family, axes: Axes, mean: Floats, variance: Floats) -> Effect:
    """Write an effect down, without the place of missing entries."""
    inside = tuple(slice(0, len(axes.cuts[j]) + 1) for j in family)
    shares = [axes.shares[j][: len(axes.cuts[j]) + 1] for j in family]
    return Effect(
        family,
        tuple(axes.cuts[j] for j in family),
        tuple(tuple((s / max(float(s.sum()), 1e-300)).tolist()) for s in shares),
        tuple(mean[inside].ravel().tolist()),
        tuple(np.sqrt(np.maximum(variance[inside], 0.0)).ravel().tolist()),
    )
