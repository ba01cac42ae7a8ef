"""Who is asked in which wave, and about which of their private features: drawn without looking at anything else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Bools, Ints
from semildp.curator.label_law import place_cohorts
from semildp.sources import Source

FEW = 200  # people: fewer, who visit once, are all asked for labels: nobody could tell where residuals lie; a guess
PROBE = 0.25  # of the people who are asked for residuals, those in the first such wave: its reports plan the second


@dataclass(frozen=True, eq=False)
class Stage:
    """One wave: what kind of thing it asks, of whom, and whether it is there to find where labels lie."""

    asks: str
    people: Ints
    finds_place: bool = False


def draw_cohort(source: Source, n_people: int, share: float) -> Bools:
    """Draw each person with probability `share`, without looking at anything of theirs."""
    return np.asarray(source.words(n_people) / 2.0**64 < share)


def stages(source: Source, n_people: int, first_share: float, *, both: bool) -> tuple[Stage, ...]:
    """Divide people into waves: labels to find their place, labels, residuals to probe, residuals.

    Where everyone is asked for both (`both`), they are divided twice. A few people who visit once are all asked for
    labels.
    """
    order = np.argsort(source.words(n_people), kind="stable")
    labels = n_people if both or n_people < FEW else max(round(first_share * n_people), 1)
    places = place_cohorts(n_people)
    ends = [int(e) for e in np.cumsum(places) if e < labels]
    found = [Stage("label", part, finds_place=True) for part in np.split(order[: ends[-1]], ends[:-1])] if ends else []
    found.append(Stage("label", order[ends[-1] if ends else 0 : labels]))
    rest = np.argsort(source.words(n_people), kind="stable") if both else order[labels:]
    cut = round(PROBE * len(rest))
    found += [Stage("residual", part) for part in (rest[:cut], rest[cut:])]
    return tuple(Stage(s.asks, np.sort(s.people), s.finds_place) for s in found if len(s.people))


def draw_features(source: Source, hidden: Bools, together: int) -> tuple[list[tuple[tuple[int, ...], bool]], Ints]:
    """Draw for each person so many of the columns they hide, or all if they hide fewer, each as likely.

    Returns
    -------
    kinds, kind
        Kinds of questions, as (columns, whether bins are turned, drawn as well), and the kind of each person.
    """
    n, columns = hidden.shape
    words = source.words(n, columns + 1)
    turned = words[:, -1] >= np.uint64(2**63)
    order = np.argsort(np.where(hidden, words[:, :-1] / 2.0**64, 2.0), axis=1, kind="stable")
    chosen = np.zeros_like(hidden)
    for place in range(min(together, columns)):
        column = order[:, place]
        chosen[np.arange(n), column] = hidden[np.arange(n), column]
    code = np.concatenate([chosen, (turned & chosen.any(axis=1))[:, None]], axis=1)
    kinds, kind = np.unique(code, axis=0, return_inverse=True)
    return [(tuple(np.flatnonzero(row[:-1]).tolist()), bool(row[-1])) for row in kinds], kind.ravel()
