"""What an answer costs, read off the question alone, in exact numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.domains import FeatureBounds
from semildp.errors import refusal
from semildp.study import Study
from semildp.wire.columns import Enrolled
from semildp.wire.forms import read_partition
from semildp.wire.messages import Ask, AskBins, AskCell, AskHistogram, AskLabel, AskPair, AskSigned, Question


def cost_at_most(question: Question, n_hidden: int) -> Fraction:
    """Return the most that the answer costs somebody who hides so many features: the sum over asks, exactly."""
    times = [n_hidden if isinstance(ask, AskBins) else 1 for ask in question.asks]
    return sum((n * Fraction(ask.epsilon) for n, ask in zip(times, question.asks, strict=True)), Fraction(0))


def costs(ask: Ask, bounds: FeatureBounds, enrolled: Enrolled) -> tuple[Floats, Floats]:
    """Return what each person spends on an ask: on the label alone, and on features (or both together).

    Floats, rounded to the nearest; `own_cost` and `times` are exact.
    A cell that is public knowledge costs nothing; sent with the residual, only the label is private in it.
    """
    nothing, everything = np.zeros(len(enrolled)), np.full(len(enrolled), ask.epsilon)
    if isinstance(ask, AskLabel):
        return everything, nothing
    if isinstance(ask, AskBins):
        return nothing, ask.epsilon * enrolled.mask.sum(axis=1)
    if isinstance(ask, AskCell | AskPair | AskSigned):
        alone = read_partition(ask.partition, bounds).count(enrolled.public, enrolled.mask) == 1
        on_label = np.where(alone & (not isinstance(ask, AskCell)), ask.epsilon, 0.0)
        return on_label, np.where(alone, 0.0, ask.epsilon)
    return everything / 2, everything / 2


def numbers_sent(question: Question, bounds: FeatureBounds) -> int:
    """Return how many numbers an answer holds, at most, where it has one for every cell; 1 for all other asks."""
    cells = [read_partition(a.partition, bounds).n_cells for a in question.asks if isinstance(a, AskHistogram)]
    return max(cells, default=1)


def own_cost(question: Question, study: Study, enrolled: Enrolled) -> Fraction:
    """Return what the answer costs one person, exactly."""
    if len(enrolled) != 1:
        raise refusal("enrolled", "one person", len(enrolled))
    paid = [Fraction(ask.epsilon) * int(times(ask, study.bounds, enrolled)[0]) for ask in question.asks]
    return sum(paid, Fraction(0))


def times(ask: Ask, bounds: FeatureBounds, enrolled: Enrolled) -> Ints:
    """Return how many times each person pays the epsilon of an ask: once, or per hidden feature, or never."""
    if isinstance(ask, AskBins):
        return np.asarray(enrolled.mask.sum(axis=1))
    if isinstance(ask, AskCell):
        return (read_partition(ask.partition, bounds).count(enrolled.public, enrolled.mask) > 1).astype(np.int64)
    return np.ones(len(enrolled), dtype=np.int64)
