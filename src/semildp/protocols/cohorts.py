"""Who is asked in which wave: drawn without looking at anything else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Bools, Ints
from semildp.curator.label_law import place_cohorts
from semildp.curator.waves import State
from semildp.sources import Source

FEW = 200  # people: fewer, who visit once, are all asked for labels: nobody could tell where residuals lie; a guess
LABELS = 500  # people, at least, who are asked for labels, or a third if that is less: a guess
FIRST = 1600  # people, about, who are asked for residuals in the first wave, of many; a guess
WAVES = (3, 4)  # of residuals: so many at least and at most; each takes a fit, in a simulation


@dataclass(frozen=True, eq=False)
class Stage:
    """One wave: what kind of thing it asks, of whom, and whether it is there to find where labels lie."""

    asks: str
    people: Ints
    finds_place: bool = False


def draw_cohort(source: Source, n_people: int, share: float) -> Bools:
    """Draw each person with probability `share`, without looking at anything of theirs."""
    return np.asarray(source.words(n_people) / 2.0**64 < share)


def first_people(state: State, share: float) -> Ints:
    """Draw who is asked first, at least one; everybody where all are asked twice."""
    if state.study.participation == "both":
        return state.everyone()
    first = draw_cohort(state.sources["cohort"], len(state.enrolled), share)
    first[:1] |= not first.any()
    return np.flatnonzero(first)


def second_people(state: State) -> Ints:
    """Return who is asked after the first wave: those who were not, or everybody where all are asked twice."""
    if state.study.participation == "both":
        return state.everyone()
    before = np.concatenate([asked.people for asked in state.done[0].asked])  # also those whose report was refused
    others = np.ones(len(state.enrolled), dtype=np.bool_)
    others[before] = False
    return np.flatnonzero(others)


def stages(
    source: Source | None, n_people: int, first_share: float, *, both: bool, find_place: bool = True
) -> tuple[Stage, ...]:
    """Divide people into waves: labels to find their place, labels, residuals to probe, residuals.

    Where everyone is asked for both (`both`), they are divided twice. A few people who visit once are all asked for
    labels; of more, `first_share`, but at least `LABELS` or a third. Without a source they stand in the order in which
    they come. Without `find_place` nobody is asked to find where labels lie: classes have no place.
    """
    order = _order(source, n_people)
    labels = n_people if both or n_people < FEW else max(round(first_share * n_people), min(n_people // 3, LABELS))
    places = place_cohorts(n_people) if find_place else ()
    ends = [int(e) for e in np.cumsum(places) if e < labels]
    found = [Stage("label", part, finds_place=True) for part in np.split(order[: ends[-1]], ends[:-1])] if ends else []
    found.append(Stage("label", order[ends[-1] if ends else 0 : labels]))
    rest = _order(source, n_people) if both else order[labels:]
    found += [Stage("residual", part) for part in np.split(rest, _cuts(len(rest)))]
    return tuple(Stage(s.asks, np.sort(s.people), s.finds_place) for s in found if len(s.people))


def _order(source: Source | None, n_people: int) -> Ints:
    """Return positions in random order, or as they are; in 32 bits where these hold them: they are kept to the end."""
    order = np.arange(n_people) if source is None else np.argsort(source.words(n_people), kind="stable")
    return order.astype(np.int32) if n_people <= np.iinfo(np.int32).max else order


def _cuts(n_people: int) -> Ints:
    """Return where waves of residuals end: each is as large as all before it together, whose reports plan it."""
    waves = int(np.clip(1 + np.log2(max(n_people, 1) / FIRST), *WAVES))
    return np.asarray(np.rint(n_people * 0.5 ** np.arange(waves - 1, 0, -1)), dtype=np.int64)
