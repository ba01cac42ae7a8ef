"""Who is asked in which wave: drawn without looking at anything else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Bools, Ints
from semildp.curator.label_law import place_cohorts
from semildp.sources import Source

FEW = 200  # people: fewer, who visit once, are all asked for labels: nobody could tell where residuals lie; a guess
# Of the people who are asked for residuals, those in the first two waves: their reports plan the next.
PROBES = (0.25, 0.25)


@dataclass(frozen=True, eq=False)
class Stage:
    """One wave: what kind of thing it asks, of whom, and whether it is there to find where labels lie."""

    asks: str
    people: Ints
    finds_place: bool = False


def draw_cohort(source: Source, n_people: int, share: float) -> Bools:
    """Draw each person with probability `share`, without looking at anything of theirs."""
    return np.asarray(source.words(n_people) / 2.0**64 < share)


def stages(source: Source | None, n_people: int, first_share: float, *, both: bool) -> tuple[Stage, ...]:
    """Divide people into waves: labels to find their place, labels, residuals to probe, residuals.

    Where everyone is asked for both (`both`), they are divided twice. A few people who visit once are all asked for
    labels. Without a source they stand in the order in which they come.
    """
    order = _order(source, n_people)
    labels = n_people if both or n_people < FEW else max(round(first_share * n_people), 1)
    places = place_cohorts(n_people)
    ends = [int(e) for e in np.cumsum(places) if e < labels]
    found = [Stage("label", part, finds_place=True) for part in np.split(order[: ends[-1]], ends[:-1])] if ends else []
    found.append(Stage("label", order[ends[-1] if ends else 0 : labels]))
    rest = _order(source, n_people) if both else order[labels:]
    cuts = np.rint(np.cumsum(PROBES) * len(rest)).astype(np.int64)
    found += [Stage("residual", part) for part in np.split(rest, cuts)]
    return tuple(Stage(s.asks, np.sort(s.people), s.finds_place) for s in found if len(s.people))


def _order(source: Source | None, n_people: int) -> Ints:
    return np.arange(n_people) if source is None else np.argsort(source.words(n_people), kind="stable")
