"""Few threads write, in turn: what many people send is committed in one transaction, and only then answered."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from semildp.service.intake import Intake
from semildp.service.jobs import Order, Sheet, Told, refused, size
from semildp.service.logs import name_of
from semildp.service.metrics import Metrics
from semildp.service.problems import RefusedError
from semildp.service.store import WaveRow

GROUP = 4096  # jobs in one transaction, about
WAITING = 100_000  # jobs that may wait; more are refused as busy
LINGER_SECONDS = 0.001  # for more jobs to come before a commit; by trial, 64 busy connections gain a fifth from it
SHEET_THREADS = 2  # what one reads and checks needs no lock; only one writes at a time
TRIES = 5  # of a group that another process was quicker with

_log = logging.getLogger(__name__)


@dataclass
class _Waiting:
    """Jobs that came in one request, and who waits for the answers."""

    jobs: Order
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[list[Told]]


@dataclass
class Writer:
    """Takes orders, does them in groups. Sheets are large enough to be groups; one is prepared while one is written."""

    intake: Intake
    metrics: Metrics
    on_wave: Callable[[WaveRow], None] = lambda wave: None
    _orders: queue.SimpleQueue[_Waiting | None] = field(default_factory=queue.SimpleQueue)
    _sheets: queue.SimpleQueue[_Waiting | None] = field(default_factory=queue.SimpleQueue)
    _waiting: int = 0  # jobs; changed by the event loop's thread alone
    _threads: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        """Start the threads."""
        self._threads = [threading.Thread(target=self._run, name="writer", daemon=True)]
        for k in range(SHEET_THREADS):
            self._threads.append(threading.Thread(target=self._run_sheets, name=f"sheets {k}", daemon=True))
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Finish what is waiting, then end."""
        self._orders.put(None)
        for _ in range(SHEET_THREADS):
            self._sheets.put(None)
        for thread in self._threads:
            thread.join()

    async def do(self, jobs: Order) -> list[Told]:
        """Do jobs and return the answers once they are safe. Call it from one event loop only."""
        n_jobs = size(jobs)
        if self._waiting and self._waiting + n_jobs > WAITING:
            raise RefusedError("busy")
        loop = asyncio.get_running_loop()
        order = _Waiting(jobs, loop, loop.create_future())
        self._waiting += n_jobs
        self.metrics.waiting = self._waiting
        (self._sheets if isinstance(jobs, Sheet) else self._orders).put(order)
        try:
            return await asyncio.shield(order.future)
        finally:
            self._waiting -= n_jobs
            self.metrics.waiting = self._waiting

    def _run(self) -> None:
        over = False
        while not over:
            first = self._orders.get()
            if first is None:
                return
            time.sleep(LINGER_SECONDS)
            group, n_jobs = [first], size(first.jobs)
            while n_jobs < GROUP:
                try:
                    more = self._orders.get_nowait()
                except queue.Empty:
                    break
                if more is None:
                    over = True
                    break
                group.append(more)
                n_jobs += size(more.jobs)
            self._answer(group, self._do(group))

    def _run_sheets(self) -> None:
        while (order := self._sheets.get()) is not None:
            self._answer([order], self._do([order]))

    def _do(self, group: list[_Waiting]) -> list[list[Told]]:
        """Do a group; where something unexpected goes wrong, each order alone."""
        jobs = _together([order.jobs for order in group])
        n_jobs = size(jobs)
        started = time.perf_counter()
        try:
            told, wave = self._take(jobs)
        except SQLAlchemyError as problem:
            _log.error("store unavailable", extra={"facts": {"error": name_of(problem), "jobs": n_jobs}})
            told, wave = [refused("store-unavailable")] * n_jobs, None
        except Exception as problem:
            _log.exception("a group failed", extra={"facts": {"error": name_of(problem), "jobs": n_jobs}})
            if len(group) > 1:
                return [self._do([order])[0] for order in group]
            told, wave = [refused("internal")] * n_jobs, None
        self.metrics.group(told, time.perf_counter() - started)
        if wave is not None:
            self.on_wave(wave)
        answers, at = list[list[Told]](), 0
        for order in group:
            answers.append(told[at : at + size(order.jobs)])
            at += size(order.jobs)
        return answers

    def _take(self, jobs: Order) -> tuple[list[Told], WaveRow | None]:
        left = TRIES
        while True:
            left -= 1
            try:
                return self.intake.take(jobs)
            except IntegrityError:
                if not left:
                    raise
            except DBAPIError as problem:
                if not (problem.connection_invalidated and left):
                    raise

    @staticmethod
    def _answer(group: list[_Waiting], answers: list[list[Told]]) -> None:
        """Hand the answers over to the event loop, all at once."""

        def deliver() -> None:
            for order, told in zip(group, answers, strict=True):
                if not order.future.done():
                    order.future.set_result(told)

        group[0].loop.call_soon_threadsafe(deliver)


def _together(orders: list[Order]) -> Order:
    """Return what is done in one transaction as one order."""
    (first, *more) = orders
    return [job for order in orders if not isinstance(order, Sheet) for job in order] if more else first
