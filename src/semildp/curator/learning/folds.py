"""Folds of people who are in random order."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from semildp._arrays import Ints

# People up to whom there are so many folds: with many, fits on a part of them are nearly as good.
_FIVE, _THREE = 5_000, 20_000


@dataclass(frozen=True, eq=False)
class Folds:
    """Slices of people, and for each the places of all others: a slice where they are next to each other."""

    inside: list[slice]
    rest: list[Ints | slice]

    @classmethod
    def of(cls, n_people: int, *, few: bool = False) -> Folds:
        """Cut people into five, three or two folds; into three or two if there are to be `few`."""
        n_folds = (3 if few else 5) if n_people < _FIVE else (2 if few else 3) if n_people < _THREE else 2
        ends = np.linspace(0, n_people, n_folds + 1).astype(int).tolist()
        inside = [slice(a, b) for a, b in pairwise(ends)]
        rest = list[Ints | slice]()
        for fold in inside:
            if fold.start > 0 and fold.stop < n_people:
                rest.append(np.r_[0 : fold.start, fold.stop : n_people])
            else:
                rest.append(slice(fold.stop, n_people) if fold.start == 0 else slice(0, fold.start))
        return cls(inside, rest)
