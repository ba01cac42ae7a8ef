"""What each wave of a fitted study of classes asked, and what it showed, as records and in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from semildp.estimators.wave_records import share_of
from semildp.models import Effect
from semildp.wire.messages import AskClass

if TYPE_CHECKING:
    from semildp.curator.waves import Collected, State

Shares = tuple[tuple[tuple[int, ...], float], ...]


@dataclass(frozen=True)
class ClassWave:
    """People who were asked for their class, alone or with where private features lie.

    Parameters
    ----------
    n_people
        How many.
    asked
        For each choice of features, in the order of their indices: the features, and how many were asked about them.
        No features: the class alone.
    epsilon
        What each spent.
    variances
        Variance that the public prediction leaves of each class that is learnt, as far as was known then; none in the
        first wave.
    shown
        Before this wave was planned, the effects found so far, as (features, share of that variance), over all
        classes; None if nobody had been asked about features.
    """

    n_people: int
    asked: tuple[tuple[tuple[int, ...], int], ...]
    epsilon: float
    variances: tuple[float, ...] = ()
    shown: Shares | None = None

    @property
    def features(self) -> frozenset[int]:
        """The features that someone was asked about."""
        return frozenset(j for features, n_people in self.asked if n_people for j in features)


def class_wave_records(state: State) -> tuple[ClassWave, ...]:
    """Return a record of every wave, in order."""
    return tuple(_record(done) for done in state.done)


def class_shares(effects: Sequence[Sequence[Effect]], variances: Sequence[float]) -> Shares:
    """Return the features of each effect and its share of the variance, summed over classes, the largest first."""
    found: dict[tuple[int, ...], float] = {}
    for each in effects:
        for effect in each:
            found[effect.features] = found.get(effect.features, 0.0) + share_of(effect, sum(variances))
    return tuple(sorted(found.items(), key=lambda each: -each[1]))


def _record(done: Collected) -> ClassWave:
    """Read a wave's questions; nobody is in two of them."""
    counts: dict[tuple[int, ...], int] = {}
    epsilon = 0.0
    for asked in done.asked:
        ask = asked.question.asks[0]
        assert isinstance(ask, AskClass)
        features, epsilon = tuple(sorted(ask.partition.features)), ask.epsilon
        counts[features] = counts.get(features, 0) + len(asked.people)
    variances, found = tuple(done.wave.facts.get("units", ())), done.wave.facts.get("found")
    shown = None if found is None else class_shares([each.effects for each in found], variances)
    return ClassWave(sum(counts.values()), tuple(sorted(counts.items())), epsilon, variances, shown)
