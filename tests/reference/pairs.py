"""How likely every report of a pair (candidate, level) is, from the definitions of the three responses.

A value is candidate * levels + level; a report is the set of values it marks.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

Law = dict[tuple[int, ...], float]


def law(kind: str, epsilon: float, n_candidates: int, levels: int, size: int, value: int) -> Law:
    """Return the probability of every report, given the true value; `size` is that of a subset."""
    if kind == "generalised":
        reports: Iterator[tuple[int, ...]] = ((v,) for v in range(n_candidates * levels))
        return normalised({marks: math.exp(epsilon) if value in marks else 1.0 for marks in reports})
    if kind == "subset":
        reports = itertools.combinations(range(n_candidates * levels), size)
        return normalised({marks: math.exp(epsilon) if value in marks else 1.0 for marks in reports})
    return paired(epsilon, n_candidates, value)


def normalised(odds: Law) -> Law:
    """Scale odds to probabilities."""
    total = math.fsum(odds.values())
    return {marks: share / total for marks, share in odds.items()}


def paired(epsilon: float, n_candidates: int, value: int) -> Law:
    """Mark the true candidate with probability 1/2 (1 if there is no other), others with b, each with a sign."""
    a = 0.5 if n_candidates > 1 else 1.0
    b = 2 / (math.exp(epsilon) + 3)
    p = math.exp(epsilon) / (math.exp(epsilon) + 1)
    chances: Law = {}
    for signs in itertools.product((None, 0, 1), repeat=n_candidates):
        chance, marks = 1.0, []
        for candidate, sign in enumerate(signs):
            true = candidate == value // 2
            marked = a if true else b
            if sign is None:
                chance *= 1 - marked
                continue
            marks.append(2 * candidate + sign)
            if not true:
                chance *= marked / 2
            else:
                chance *= marked * (p if sign == value % 2 else 1 - p)
        if chance > 0:
            chances[tuple(marks)] = chance
    return chances


def rounded(law_of: dict[int, Law], candidate: int, levels: int, place: float) -> Law:
    """Return the law of a number between two levels, which is rounded to either, the nearer one more often."""
    low = min(math.floor(place), levels - 1)
    share = place - low
    first = law_of[candidate * levels + low]
    if share <= 0:
        return first
    second = law_of[candidate * levels + low + 1]
    return {marks: (1 - share) * first[marks] + share * second[marks] for marks in first}


def place(number: float, reach: float, levels: int) -> float:
    """Return where a number lies among levels evenly spaced on [-reach, reach]; outside is on the end."""
    return min(max((number + reach) / (2 * reach) * (levels - 1), 0.0), levels - 1.0)


def worst_log_ratio(laws: list[Law]) -> float:
    """Return the largest log ratio of any report's probabilities; infinite if only some inputs allow a report."""
    worst = 0.0
    for marks in set().union(*laws):
        chances = [chance.get(marks, 0.0) for chance in laws]
        if min(chances) == 0:
            return math.inf
        worst = max(worst, math.log(max(chances) / min(chances)))
    return worst
