"""Who is asked in which wave, where everyone is asked once."""

from __future__ import annotations

import numpy as np

from semildp._arrays import Bools, Ints
from semildp.sources import Source, below


def draw_cohort(source: Source, n_people: int, share: float) -> Bools:
    """Draw each person with probability `share`, without looking at anything of theirs."""
    return np.asarray(source.words(n_people) / 2.0**64 < share)


def draw_feature(source: Source, hidden: Bools) -> Ints:
    """Draw one of the columns that each person hides, each as likely; who hides none gets column 0."""
    pick = below(source.words(len(hidden)), hidden.sum(axis=1))
    return np.asarray(np.argmax(np.cumsum(hidden, axis=1) == pick[:, None] + 1, axis=1))
