"""What noisy labels of people with public features tell of f."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from semildp._arrays import Floats
from semildp.backends import fold
from semildp.curator.beliefs.believing import believe
from semildp.curator.beliefs.evidence import PairSums, Told, gram, people_pairs
from semildp.curator.beliefs.single import single
from semildp.curator.effects.people import Asked, Chosen, batches
from semildp.curator.learning.rows import Column
from semildp.models.belief import Axis, Belief
from semildp.study import Study

TERMS = 6  # functions of a number: three periods, which noise hides otherwise
KNOTS = 32  # shares of people whose values are knots
SAMPLE = 20_000  # people whose values place them
MOST = 1 << 18  # people who are looked at: time. Of more, error bars are wider than they might be.


def axes_of(study: Study, columns: tuple[int, ...], people: Asked) -> tuple[Axis, ...]:
    """Return the axes of public features: one for a number, one for each value of a category."""
    step = 1 + len(people) // SAMPLE
    some = people[np.arange(0, len(people), step)].public
    axes: list[Axis] = []
    for j in columns:
        column, values = some[:, j], study.n_values[j]
        there = column[~np.isnan(column)]
        if values is not None:
            axes += _values(j, values, there)
        elif len(there):
            axes += _number(j, there)
    return tuple(axes)


def _number(j: int, there: Floats) -> list[Axis]:
    """Return an axis whose places are shares of people; equal values are in the middle of theirs. None if all are."""
    shares = np.linspace(0, 1, KNOTS + 1)
    knots, where = np.unique(np.quantile(there, shares), return_inverse=True)
    if len(knots) < 2:
        return []
    places = np.bincount(where, weights=shares) / np.bincount(where)
    return [Axis(j, TERMS, tuple(knots.tolist()), tuple(places.tolist()))]


def _values(j: int, values: int, there: Floats) -> list[Axis]:
    """Return an axis for each value of a category that some people have, not all."""
    shares = np.bincount(np.rint(there).astype(np.int64), minlength=values) / max(len(there), 1)
    deviation = np.sqrt(shares * (1 - shares))
    return [Axis(j, 1, (float(shares[v]),), (float(deviation[v]),), v) for v in np.flatnonzero(deviation).tolist()]


def belief_of_people(
    study: Study, columns: tuple[int, ...], people: Asked, labels: Column, variances: Column, spread: float
) -> Belief:
    """Return what noisy labels tell of the part of f that public features tell; of very many, every so manieth.

    Parameters
    ----------
    study, columns
        The study and its public features.
    people, labels, variances
        What people have made public, their noisy labels, and the variance of each around f, up to a factor.
    spread
        Variance of labels.
    """
    step = 1 + (len(labels) - 1) // MOST
    noisy, variance = labels[::step], variances[::step]
    if step > 1:
        people = Chosen(people, np.arange(0, len(labels), step))
    axes = axes_of(study, columns, people)
    low, high = study.label_bounds
    outside = (high - low) ** 2
    offset = float(np.average(noisy, weights=1 / variance))
    told = partial(told_by, axes, people, noisy - offset, 1 / variance)
    sums = fold(gram, told())
    scale = max(left_by(sums, single(sums, axes, spread, outside).mean) / len(noisy), 1e-9)

    def beyond(mean: Floats) -> PairSums:
        return fold(lambda some: people_pairs(some, mean), told()).scaled(1 / scale)

    return believe(axes, sums / scale, beyond, offset, spread, outside)


def told_by(axes: tuple[Axis, ...], people: Asked, numbers: Floats, precision: Floats) -> Iterator[Told]:
    """Yield what people told, a batch at a time; what they hide counts as its average."""
    for rows, some in batches(people):
        functions = [axis.functions(some.public[:, axis.feature]) for axis in axes]
        yield Told(functions, numbers[rows], precision[rows])


def left_by(sums: Floats, mean: Floats) -> float:
    """Return the sum of squares of what coefficients leave of the numbers, at each one's precision."""
    taken = np.append(mean, -1.0)
    return float(taken @ sums @ taken)
