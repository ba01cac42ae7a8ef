"""How many people a target error needs: a search over numbers of people, each of them simulated."""

from __future__ import annotations

import math
from collections.abc import Callable

from semildp.planning.record import Needed

FEWEST, MOST = 100, 256_000  # people that are simulated
NEAR = 1.6  # numbers of people so close, as a ratio, are interpolated between


def people_needed(error_at: Callable[[int], float], target: float, n_people: int) -> Needed:
    """Return about how many people bring the error down to the target.

    From `n_people` on, numbers go up or down by four until the target lies between two of them; these are halved, in
    logarithms, until they are near. The answer lies on the line between both, in logarithms.
    """
    tried: dict[int, float] = {}

    def enough(n: int) -> bool:
        if n not in tried:
            tried[n] = error_at(n)
        return tried[n] <= target

    at = min(max(n_people, FEWEST), MOST)
    low = high = at
    if enough(at):
        while low > FEWEST and enough(low):
            high, low = low, max(low // 4, FEWEST)
        if enough(low):
            return Needed(low, _sorted(tried))
    else:
        while high < MOST and not enough(high):
            low, high = high, min(high * 4, MOST)
        if not enough(high):
            return Needed(None, _sorted(tried))
    while high > NEAR * low:
        middle = round(math.sqrt(low * high))
        low, high = (low, middle) if enough(middle) else (middle, high)
    return Needed(_between(low, tried[low], high, tried[high], target), _sorted(tried))


def _between(low: int, larger: float, high: int, smaller: float, target: float) -> int:
    """Return where the target lies between two numbers of people, along a line in logarithms."""
    if smaller <= 0 or target <= 0:
        return high
    part = (math.log(larger) - math.log(target)) / (math.log(larger) - math.log(smaller))
    return round(low * math.exp(part * math.log(high / low)))


def _sorted(tried: dict[int, float]) -> tuple[tuple[int, float], ...]:
    return tuple(sorted(tried.items()))
