"""What an answer costs, read off the question alone, in exact numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from semildp._arrays import Ints
from semildp.domains import FeatureBounds
from semildp.errors import refusal
from semildp.masks import row_sums
from semildp.partition import Partition
from semildp.study import Study
from semildp.wire.columns import Enrolled
from semildp.wire.forms import read_partition
from semildp.wire.messages import Ask, AskBins, AskCell, AskClass, AskHistogram, AskLabel, AskPair, AskSigned, Question


def cost_at_most(question: Question, n_hidden: int) -> Fraction:
    """Return the most that the answer costs somebody who hides so many features: the sum over asks, exactly."""
    times = [n_hidden if isinstance(ask, AskBins) else 1 for ask in question.asks]
    return sum((n * Fraction(ask.epsilon) for n, ask in zip(times, question.asks, strict=True)), Fraction(0))


class Price(NamedTuple):
    """What an answer costs: on the label alone, on features (or both together), and how often the ask's epsilon."""

    label: float
    features: float
    times: int


def price(ask: Ask, hidden: int, *, alone: bool) -> Price:
    """Return what an ask costs somebody who hides so many features, and could be in one cell only or not (`alone`).

    A cell that is public knowledge costs nothing; sent with residual or class, only the label is private in it. Bins
    are paid for each hidden feature.
    """
    epsilon = ask.epsilon
    if isinstance(ask, AskBins):
        return Price(0.0, epsilon * hidden, hidden)
    if isinstance(ask, AskCell | AskPair | AskSigned | AskClass):
        if not alone:
            return Price(0.0, epsilon, 1)
        return Price(0.0, 0.0, 0) if isinstance(ask, AskCell) else Price(epsilon, 0.0, 1)
    return Price(epsilon, 0.0, 1) if isinstance(ask, AskLabel) else Price(epsilon / 2, epsilon / 2, 1)


def prices(ask: Ask, bounds: FeatureBounds, enrolled: Enrolled) -> tuple[Ints, list[Price]]:
    """Return which of a few prices each person pays for an ask, and the prices."""
    if isinstance(ask, AskBins):
        each = [price(ask, hidden, alone=False) for hidden in range(bounds.n_features + 1)]
        return row_sums(enrolled.mask).astype(np.int64), each
    if isinstance(ask, AskCell | AskPair | AskSigned | AskClass):
        alone = count_candidates(read_partition(ask.partition, bounds), enrolled) == 1
        return alone.astype(np.int64), [price(ask, 0, alone=False), price(ask, 0, alone=True)]
    return np.broadcast_to(np.int64(0), len(enrolled)), [price(ask, 0, alone=False)]


def count_candidates(partition: Partition, enrolled: Enrolled) -> Ints:
    """Return how many cells each person could be in; features are looked at only where masks do not tell."""
    known = partition.count_by_mask(enrolled.mask)
    return partition.count(enrolled.public, enrolled.mask) if known is None else known


def numbers_sent(question: Question, bounds: FeatureBounds) -> int:
    """Return how many numbers an answer holds, at most, where it has one for every cell; 1 for all other asks."""
    cells = [read_partition(a.partition, bounds).n_cells for a in question.asks if isinstance(a, AskHistogram)]
    return max(cells, default=1)


def own_cost(question: Question, study: Study, enrolled: Enrolled) -> Fraction:
    """Return what the answer costs one person, exactly."""
    if len(enrolled) != 1:
        raise refusal("enrolled", "one person", len(enrolled))
    paid = Fraction(0)
    for ask in question.asks:
        which, price = prices(ask, study.bounds, enrolled)
        paid += Fraction(ask.epsilon) * price[int(which[0])].times
    return paid
