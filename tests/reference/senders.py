"""What one person sends, given their value and their words: the mechanisms, one person and one step at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from tests.reference import thresholds
from tests.reference.thresholds import HALF, WORD


def uniform(word: int, bound: int) -> int:
    """Return floor(word * bound / 2**64)."""
    return word * bound >> 64


def generalised(value: int, epsilon: float, k: int, words: Sequence[int]) -> int:
    """Send the value, or a uniform one."""
    if k > 1 and words[0] < thresholds.replace(epsilon, k):
        return uniform(words[1], k)
    return value


def window(value: int, epsilon: float, steps: int, width: int, words: Sequence[int]) -> int:
    """Send a number of the window above the value, or a uniform one."""
    if words[0] < thresholds.replace(epsilon, steps + width, width):
        return uniform(words[1], steps + width)
    return value + uniform(words[2], width)


def binary(value: int, epsilon: float, k: int, words: Sequence[int]) -> list[int]:
    """Send a bit per candidate, each flipped or not."""
    bits = [int(j == value) for j in range(k)]
    if k == 1:
        return bits
    return [1 - bit if word < thresholds.flip(epsilon) else bit for bit, word in zip(bits, words, strict=True)]


def subset(value: int, epsilon: float, k: int, m: int, words: Sequence[int]) -> list[int]:
    """Send a uniform set of m, or one into which the value is put if it is not there; sorted."""
    drawn: list[int] = []
    for step in range(m):
        last = k - m + step
        taken = uniform(words[2 + step], last + 1)
        drawn.append(last if taken in drawn else taken)
    if k > 1 and words[0] < thresholds.subset(epsilon, k, m):
        return sorted(drawn)
    if value not in drawn:
        drawn[uniform(words[1], m)] = value
    return sorted(drawn)


def paired(value: int, epsilon: float, k: int, words: Sequence[int]) -> list[int]:
    """Send an entry per candidate: 0 nothing, 1 minus, 2 plus."""
    own, sign = value // 2, 1 + value % 2
    if k == 1:
        return [3 - sign if words[0] < thresholds.opposite(epsilon, WORD) else sign]
    marked = thresholds.mark(epsilon)
    entries = [1 if word < marked else 2 if word < 2 * marked else 0 for word in words[1:]]
    entries[own] = 0
    if words[0] < HALF:
        entries[own] = 3 - sign if words[0] < thresholds.opposite(epsilon, HALF) else sign
    return entries


def geometric(n: int, epsilon: float, steps: int, next_word: Callable[[], int]) -> list[int]:
    """Draw geometric numbers of n people (at most 2**14): first everybody's tail, then digit after digit."""
    digits, tail = thresholds.geometric(epsilon, steps)
    numbers, going = [0] * n, list(range(n))
    while going:
        going = [person for person in going if next_word() < tail]
        for person in going:
            numbers[person] += 2 ** len(digits)
    for place, threshold in enumerate(digits):
        for person in range(n):
            numbers[person] += 2**place if next_word() < threshold else 0
    return numbers


def laplace(values: Sequence[int], epsilon: float, steps: int, next_word: Callable[[], int]) -> list[int]:
    """Add to each value one geometric number and take off another; the second half of the draws is taken off."""
    n = len(values)
    both = geometric(2 * n, epsilon, steps, next_word)
    return [value + both[i] - both[n + i] for i, value in enumerate(values)]


def pair(kind: str, value: int, epsilon: float, k: int, levels: int, size: int, words: Sequence[int]) -> list[int]:
    """Send candidate * levels + level by one of the three responses; return the values marked, in increasing order."""
    if kind == "generalised":
        return [generalised(value, epsilon, k * levels, words)]
    if kind == "subset":
        return subset(value, epsilon, k * levels, size, words)
    return [2 * j + entry - 1 for j, entry in enumerate(paired(value, epsilon, k, words)) if entry]


def rounded(y: float, low: float, high: float, steps: int, word: int) -> int:
    """Round to the grid point below or above, the nearer one more often."""
    place = min(max((y - low) / (high - low) * steps, 0.0), float(steps))
    return math.floor(place) + int(word / 2.0**64 < place - math.floor(place))
