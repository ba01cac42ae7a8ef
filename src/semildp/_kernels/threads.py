"""Work on slices of arrays in threads: slices do not depend on the number of threads, so neither do results."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

S = TypeVar("S")
T = TypeVar("T")

THREADS = "SEMILDP_THREADS"  # environment variable: how many threads, at most
SLICE = 1 << 14  # rows worked on at a time: 10 columns of 64 bits are 1.3 MB, which stays in a core's cache
_inside = threading.local()
_pools: dict[tuple[int, int], ThreadPoolExecutor] = {}


def n_threads() -> int:
    """Return how many threads to use: as many as the process has cores, and no more than SEMILDP_THREADS says.

    Where that is not set, NUMBA_NUM_THREADS counts: joblib sets it for its workers, which share the cores.
    """
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    wanted = os.environ.get(THREADS, "") or os.environ.get("NUMBA_NUM_THREADS", "")
    return max(1, min(allowed, int(wanted))) if wanted.isdigit() else allowed


def slices(n: int, size: int | None = None) -> Iterator[slice]:
    """Yield slices of at most `size`, or SLICE, that cover 0..n-1."""
    size = SLICE if size is None else size
    for start in range(0, n, max(size, 1)):
        yield slice(start, min(start + size, n))


def over_slices(work: Callable[[slice], T], n: int, size: int | None = None) -> list[T]:
    """Return `work(slice)` for slices of at most `size`, or SLICE, that cover 0..n-1, in their order.

    Slices are shared out over threads where there are several. Work must be safe to run at once with itself: slices
    write to their own parts of arrays, or return sums that are added up afterwards.
    """
    return in_threads(partial(work, each) for each in slices(n, size))


def in_threads(jobs: Iterable[Callable[[], T]]) -> list[T]:
    """Run jobs, several at once where there are threads for it, and return their results in order.

    Jobs may be made one after the other while those before them run. One alone runs here.
    """
    made = iter(jobs)
    start = list(islice(made, 2))
    threads = n_threads()
    if len(start) < 2 or threads == 1 or getattr(_inside, "job", False):  # a job must not wait for its own pool
        return [job() for job in chain(start, made)]
    return list(_pool(threads).map(as_job, chain(start, made)))


def together(one: Callable[[], S], other: Callable[[], T]) -> tuple[S, T]:
    """Run two jobs, at once where there are threads for it, and return both results."""
    jobs: list[Callable[[], Any]] = [one, other]
    first, second = in_threads(jobs)
    return first, second


def as_job(job: Callable[[], T]) -> T:
    """Run a job of a thread among others: what it would share out over threads it does itself."""
    _inside.job = True
    try:
        return job()
    finally:
        _inside.job = False


def _pool(threads: int) -> ThreadPoolExecutor:
    """Return the threads of this process; a child process makes its own."""
    key = os.getpid(), threads
    if key not in _pools:
        from concurrent.futures import ThreadPoolExecutor  # a device never needs it

        _pools[key] = ThreadPoolExecutor(threads, thread_name_prefix="semildp")
    return _pools[key]
