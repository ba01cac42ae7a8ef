"""Running tasks on all cores, one thread each, with one progress bar; what is finished is never run again."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path
from typing import Never

from threadpoolctl import threadpool_limits
from tqdm import tqdm

from experiments.common.registry import import_file
from experiments.common.rows import Row
from experiments.common.task import Task
from experiments.run.store import Store
from experiments.run.studies import run

_WAITING_PER_WORKER = 4
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def start_workers(n_workers: int, files: Sequence[Path] = ()) -> ProcessPoolExecutor:
    """Return a pool of workers that have one thread each and know the methods in `files`."""
    return ProcessPoolExecutor(n_workers, initializer=_start_worker, initargs=(files,))


def _start_worker(files: Sequence[Path]) -> None:
    """Leave Ctrl-C to the parent, and one thread to each worker: tasks are the parallelism.

    Libraries that are loaded already are told so, those that are loaded later read the environment.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    threadpool_limits(1)
    for file in files:
        import_file(file)


def _work(task: Task, folder: str) -> tuple[Task, list[Row]]:
    return task, run(task, folder)


def run_all(
    tasks: Sequence[Task], store: Store, folder: str, workers: int | None = None, files: Sequence[Path] = ()
) -> None:
    """Run what is not finished yet. A task's rows depend on the task alone, not on the number of workers."""
    todo = [task for task in tasks if not store.has(task)]
    n_workers = workers or os.cpu_count() or 1
    bar = tqdm(total=len(tasks), initial=len(tasks) - len(todo), unit="task", smoothing=0.02)
    pool = start_workers(n_workers, files)
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
