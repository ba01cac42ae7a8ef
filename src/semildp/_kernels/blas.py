"""Linear algebra on one thread: of small matrices it takes less time, and has the same bits on any number of cores."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

_lock = threading.Lock()
_inside = 0  # how many calls want one thread now
_limit: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let NumPy's matrix routines use one thread, until the last of those who asked for it, in any thread, is done.

    It is also a decorator. Threads that share the work of a small matrix cost more than they save, and several times
    as much while other processes keep the cores busy, since they wait for each other in a loop.
    """
    global _inside, _limit
    with _lock:
        _inside += 1
        if _inside == 1:
            _limit = _controller().limit(limits=1, user_api="blas")
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _limit.restore_original_limits()


@lru_cache(maxsize=1)
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController  # a device never needs it

    return ThreadpoolController()
