"""Running tasks on all cores, with one progress bar; what is finished is never run again."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from typing import Never

from tqdm import tqdm

from experiments.rows import Row
from experiments.store import Store
from experiments.studies import run
from experiments.task import Task

_WAITING_PER_WORKER = 4


def _start_worker() -> None:
    """Leave Ctrl-C to the parent, and one thread to each worker: tasks are the parallelism."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _work(task: Task, folder: str) -> tuple[Task, list[Row]]:
    return task, run(task, folder)


def run_all(tasks: Sequence[Task], store: Store, folder: str, workers: int | None = None) -> None:
    """Run what is not finished yet. A task's rows depend on the task alone, not on the number of workers."""
    todo = [task for task in tasks if not store.has(task)]
    n_workers = workers or os.cpu_count() or 1
    bar = tqdm(total=len(tasks), initial=len(tasks) - len(todo), unit="task", smoothing=0.02)
    pool = ProcessPoolExecutor(n_workers, initializer=_start_worker)
    pending: set[Future[tuple[Task, list[Row]]]] = set()
    queue = iter(todo)
    try:
        for task in queue:
            pending.add(pool.submit(_work, task, folder))
            if len(pending) < _WAITING_PER_WORKER * n_workers:
                continue
            pending = _collect(pending, store, bar)
        while pending:
            pending = _collect(pending, store, bar)
    finally:
        bar.close()
        pool.shutdown(wait=True, cancel_futures=True)


def _collect(
    pending: set[Future[tuple[Task, list[Row]]]], store: Store, bar: tqdm[Never]
) -> set[Future[tuple[Task, list[Row]]]]:
    done, still = wait(pending, return_when=FIRST_COMPLETED)
    for future in done:
        store.save(*future.result())
        bar.update()
    return still
