"""The CART splitter: the largest fall of the sum of squares, over a bounded number of thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from tests.reference.trees import Node, People, Split, sides, sum_of_squares

BINS = 64
MIN_PEOPLE = 10
MIN_SHARE = Fraction(1, 5)


def thresholds(values: Sequence[float]) -> list[float]:
    """Return evenly spaced order statistics, without repeats and without the smallest value."""
    ordered = sorted(values)
    found: list[float] = []
    for k in range(1, BINS):
        if ordered:
            value = ordered[k * len(ordered) // BINS]
            if value > ordered[0] and value not in found:
                found.append(value)
    return found


def all_thresholds(people: People, features: Sequence[int]) -> dict[int, list[float]]:
    """Return the thresholds of each feature: fixed once, from everybody who makes it public."""
    found = {}
    for f in features:
        public = [row[f] for row, private in zip(people.x, people.private, strict=True) if not private[f]]
        found[f] = thresholds(public)
    return found


def cart(people: People, features: Sequence[int]) -> Callable[[People, Node], Split | None]:
    """Return the rule that splits where the sum of squares falls most: ties to the lowest feature, then threshold."""
    cuts = all_thresholds(people, features)

    def choose(people: People, node: Node) -> Split | None:
        best, best_fall = None, Fraction(0)
        for feature in sorted(cuts):
            for threshold in cuts[feature]:
                split = feature, Fraction(threshold)
                fall = fall_of(people, node, split)
                if fall > best_fall:
                    best, best_fall = split, fall
        return best

    return choose


def fall_of(people: People, node: Node, split: Split) -> Fraction:
    """Return the fall of the sum of squares of the usable people; 0, which is never chosen, if a side is too small."""
    left, right = ([people.labels[i] for i in side] for side in sides(people, node, split))
    smaller = min(len(left), len(right))
    if smaller < MIN_PEOPLE or Fraction(smaller, len(left) + len(right)) < MIN_SHARE:
        return Fraction(0)
    return sum_of_squares(left + right) - sum_of_squares(left) - sum_of_squares(right)
