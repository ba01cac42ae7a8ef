"""Several fresh processes that take turns, so that a busy machine slows all of them alike."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from statistics import median
from types import TracebackType
from typing import Any, Self

from benchmarks.contenders import Case

ROUNDS = 5
PATIENCE = 5.0  # seconds: who would take longer in all is not asked again
HELD = 4 << 30  # bytes of input: beyond that, one process is ended before the next is started


class BenchmarkError(Exception):
    """A process that was timed did not finish."""


@dataclass
class Measured:
    """What one case took: seconds of each call, peak memory of the first above the input, bytes of the input."""

    case: Case
    input: int
    seconds: list[float] = field(default_factory=list)
    peak: int = 0

    @property
    def typical(self) -> float:
        """Median of the seconds."""
        return median(self.seconds)


class Process:
    """A worker with its case; ended by `with`."""

    def __init__(self, case: Case, *, warm: bool = True, environment: dict[str, str] | None = None) -> None:
        self.case = case
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **(environment or {})},
        )
        self._send({"case": asdict(case), "warm": warm})
        self._input: int | None = None

    def ready(self) -> int:
        """Wait until the people are drawn; return the bytes of the input."""
        if self._input is None:
            self._input = int(self._receive()["input"])
        return self._input

    def ask(self, **request: Any) -> dict[str, float]:
        """Ask for one call and return what it took."""
        self.ready()
        self._send(request)
        return self._receive()

    def _send(self, request: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            print(json.dumps(request), file=self._process.stdin, flush=True)
        except BrokenPipeError:
            raise self._gone() from None

    def _receive(self) -> dict[str, float]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise self._gone()
        told: dict[str, float] = json.loads(line)
        return told

    def _gone(self) -> BenchmarkError:
        code = self._process.wait()
        return BenchmarkError(
            f"{self.case} did not finish: its process ended with code {code}"
            + (" (no memory left?)" if code == -9 else "")
            + "."
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()


def race(cases: Sequence[Case], told: Callable[[Case], None], patience: float = PATIENCE) -> list[Measured]:
    """Fit every case in its own process, in turn; who would take longer than `patience` in all is not asked again.

    `told` hears of each case that is begun.

    Inputs beyond `HELD` bytes in all are not held together: then every case is fitted once, one after the other.
    """
    if sum(8 * case.n * (case.d + 1) for case in cases) > HELD:
        return [measured for case in cases for measured in _together([case], told, 0.0)]
    return _together(cases, told, patience)


def _together(cases: Sequence[Case], told: Callable[[Case], None], patience: float) -> list[Measured]:
    with ExitStack() as open_processes:
        processes = [open_processes.enter_context(Process(case)) for case in cases]
        results = [Measured(process.case, process.ready()) for process in processes]
        for turn in range(ROUNDS):
            for process, result in zip(processes, results, strict=True):
                if turn == 0:
                    told(process.case)
                elif sum(result.seconds) * (turn + 1) / turn > patience:
                    continue
                took = process.ask(fit=True)
                result.seconds.append(took["seconds"])
                if turn == 0:
                    result.peak = int(took["peak"])
        return results
