"""Time, handed in so that tests can let it jump. It decides nothing but whether a time is over."""

from __future__ import annotations

import time
from collections.abc import Callable

from semildp.service.settings import Collection

Clock = Callable[[], float]  # seconds since 1970


def system_clock() -> float:
    """The machine's time."""
    return time.time()


def has_opened(collection: Collection, now: float) -> bool:
    """Whether people may come."""
    return collection.opens is None or now >= collection.opens.timestamp()


def is_over(collection: Collection, now: float) -> bool:
    """Whether the study's time is over."""
    return collection.closes is not None and now >= collection.closes.timestamp()


def wave_end(collection: Collection, number: int, now: float) -> int | None:
    """Return when a wave that is planned now ends at the latest; the enrolment's time begins when the study opens."""
    if collection.wave_hours is None:
        return None
    begins = now
    if number == 0 and collection.opens is not None:
        begins = max(now, collection.opens.timestamp())
    return int(begins + 3600 * collection.wave_hours)
