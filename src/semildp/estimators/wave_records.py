"""What each wave of a fitted SemiPrivate study asked, of how many people: records, read off the curator's state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from semildp.models import Effect
from semildp.wire.messages import AskLabel, AskPair, AskSigned

if TYPE_CHECKING:
    from semildp.curator.waves import Collected, State


@dataclass(frozen=True)
class LabelWave:
    """People who were asked for their label.

    Parameters
    ----------
    n_people
        How many.
    low, high
        The window: labels outside it count as on its end.
    epsilon
        What each spent.
    """

    n_people: int
    low: float
    high: float
    epsilon: float


@dataclass(frozen=True)
class ResidualWave:
    """People who were asked how far their label lies from the public prediction, most with regard to private features.

    Where private features lie is sent as bins together with the residual, or it decides the sign of the residual, which
    is then sent alone; either way it counts as asking about these features.

    Parameters
    ----------
    n_people
        How many.
    asked
        For each choice of features, in the order of their indices: the features, and how many were asked about them.
        No features: the residual alone.
    reach
        Where residuals are cut, on either side.
    epsilon
        What each spent.
    variance
        Variance of residuals, as far as was known then.
    shown
        Before this wave was planned, the effects found so far, as (features, share of the residuals' variance); None if
        nobody had been asked about features.
    turned
        Of those in `asked`, the people whose residual was turned round or not by these features; in the same form.
    """

    n_people: int
    asked: tuple[tuple[tuple[int, ...], int], ...]
    reach: float
    epsilon: float
    variance: float
    shown: tuple[tuple[tuple[int, ...], float], ...] | None = None
    turned: tuple[tuple[tuple[int, ...], int], ...] = ()

    @property
    def features(self) -> frozenset[int]:
        """The features that someone was asked about."""
        return frozenset(j for features, n_people in self.asked if n_people for j in features)


def wave_records(state: State) -> tuple[LabelWave | ResidualWave, ...]:
    """Return a record of every wave, in order."""
    return tuple(_record(done) for done in state.done)


def share_of(effect: Effect, variance: float) -> float:
    """Return the mean square of an effect over the people, as a share of the residuals' variance."""
    square = effect.table**2
    for shares in reversed(effect.shares):
        square = square @ np.asarray(shares)
    return float(square) / variance if variance > 0 else 0.0


def effect_shares(effects: tuple[Effect, ...], variance: float) -> tuple[tuple[tuple[int, ...], float], ...]:
    """Return the features of each effect and its share, the largest first."""
    found = [(effect.features, share_of(effect, variance)) for effect in effects]
    return tuple(sorted(found, key=lambda each: -each[1]))


def _record(done: Collected) -> LabelWave | ResidualWave:
    """Read a wave's questions; nobody is in two of them."""
    first = done.asked[0].question.asks[0]
    total = sum(len(asked.people) for asked in done.asked)
    if isinstance(first, AskLabel):
        return LabelWave(total, first.low, first.high, first.epsilon)
    assert isinstance(first, AskPair | AskSigned)
    counts: dict[tuple[int, ...], int] = {}
    turned: dict[tuple[int, ...], int] = {}
    for asked in done.asked:
        ask = asked.question.asks[0]
        assert isinstance(ask, AskPair | AskSigned)
        features = tuple(sorted(ask.partition.features))
        counts[features] = counts.get(features, 0) + len(asked.people)
        if isinstance(ask, AskSigned):
            turned[features] = turned.get(features, 0) + len(asked.people)
    variance, found = float(done.wave.facts["unit"]), done.wave.facts["found"]
    shown = None if found is None else effect_shares(found.effects, variance)
    every, some = tuple(sorted(counts.items())), tuple(sorted(turned.items()))
    return ResidualWave(total, every, first.reach, first.epsilon, variance, shown, some)
