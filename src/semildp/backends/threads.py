"""Folding in this process, several parts at a time: reading Parquet and NumPy's loops let other threads run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial, reduce
from operator import add
from typing import TypeVar

from semildp._checks import whole_number
from semildp._kernels.threads import as_job
from semildp.backends.base import Done, Part, nothing, tally_part

B = TypeVar("B")
T = TypeVar("T")


class Threads:
    """As many parts at a time as there are threads.

    Parameters
    ----------
    n_threads
        How many; None: one for each processor that this process may use.
    """

    def __init__(self, n_threads: int | None = None) -> None:
        usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self.n_threads = usable if n_threads is None else whole_number("n_threads", n_threads, 1, 1024)

    def fold(self, tally: Callable[[B], T], parts: Sequence[Part[B]], done: Done = nothing) -> T:
        """Add up `tally(batch)` over all batches of all parts; after a failure no further part is begun."""
        with ThreadPoolExecutor(self.n_threads) as pool:
            try:
                return reduce(add, self._totals(pool, tally, parts, done))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _totals(
        self, pool: ThreadPoolExecutor, tally: Callable[[B], T], parts: Sequence[Part[B]], done: Done
    ) -> Iterator[T]:
        """Yield the totals of parts as they come; at most so many are under way or waiting as there are threads."""
        running: dict[Future[T], int] = {}
        for part in parts:
            if len(running) >= self.n_threads:
                yield from _finished(running, done)
            running[pool.submit(as_job, partial(tally_part, tally, part))] = len(part)
        while running:
            yield from _finished(running, done)


def _finished(running: dict[Future[T], int], done: Done) -> Iterator[T]:
    """Wait for at least one part, and yield the totals of those that are there."""
    for future in wait(running, return_when=FIRST_COMPLETED).done:
        n_people = running.pop(future)
        yield future.result()
        done(n_people)
