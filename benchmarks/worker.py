"""A fresh process that fits one case as often as it is asked to: a line of JSON in, a line of JSON out.

{"case": {...}}        draws the people, warms up on some of them      -> {"input": bytes}
{"fit": true}          fits all of them                                -> {"seconds": s, "peak": bytes}
{"predict": rows}      predicts so many rows with the last fit         -> {"seconds": s}
"""

from __future__ import annotations

import ctypes
import gc
import json
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.contenders import CONTENDERS, Case
from benchmarks.people import People, draw
from semildp._kernels.choosing import ENOUGH

WARM_ROWS = 10_000
_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class Worker:
    """Holds the people and the last fit."""

    def __init__(self, case: Case, warm: bool) -> None:
        self.contender = CONTENDERS[case.method]
        self.case, self.people = case, draw(case.n, case.d, personal=self.contender.personal)
        if warm:
            self._warm_up()
        self.model: Any = None
        self.queries: Any = None

    def _warm_up(self) -> None:
        """Load what is compiled if there are people enough for it, by the paper's method; then fit a few people."""
        if self.contender.ours and self.case.n >= ENOUGH:
            people = draw(ENOUGH, self.case.d)
            CONTENDERS["paper"].build(self.case).fit(people.X, people.y)
        self._fit(draw(min(self.case.n, WARM_ROWS), self.case.d, personal=self.contender.personal))

    def _fit(self, people: People) -> Any:
        model = self.contender.build(self.case)
        rest = {} if people.mask is None else {"mask": people.mask}
        return model.fit(people.X, people.y, **rest)

    def fit(self) -> dict[str, float]:
        """Time one fit, and how far memory rises during it above what the process held before."""
        self.model = None
        before = settled_memory()
        start = time.perf_counter()
        self.model = self._fit(self.people)
        seconds = time.perf_counter() - start
        return {"seconds": seconds, "peak": peak_memory() - before}

    def predict(self, rows: int) -> dict[str, float]:
        """Time one prediction of many rows."""
        if self.queries is None or len(self.queries) != rows:
            self.queries = draw(rows, self.case.d).X
        start = time.perf_counter()
        self.model.predict(self.queries)
        return {"seconds": time.perf_counter() - start}


def settled_memory() -> int:
    """Give back what is free, forget the peak so far, and return the bytes in use."""
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
        _CLEAR.write_text("5")
        return _status("VmRSS")
    return peak_memory()


def peak_memory() -> int:
    """Return the most bytes in use since the peak was last forgotten (elsewhere than on Linux: ever)."""
    if sys.platform == "linux":
        return _status("VmHWM")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _status(name: str) -> int:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(name))
    return 1024 * int(line.split()[1])


def main() -> None:
    """Answer line by line until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this ends it
    worker: Worker | None = None
    for line in sys.stdin:
        asked = json.loads(line)
        if worker is None:
            worker = Worker(Case(**asked["case"]), asked.get("warm", True))
            told: dict[str, float] = {"input": worker.people.n_bytes}
        elif "predict" in asked:
            told = worker.predict(asked["predict"])
        else:
            told = worker.fit()
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
