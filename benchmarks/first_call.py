"""The first call after installing, the first of a process, and those after it: what compiling and loading cost."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.contenders import Case
from benchmarks.racing import Process

METHODS: tuple[str, ...] = ("paper", "personal", "semi")
QUICK_METHODS = METHODS[:1]
PEOPLE = 200_000  # enough for the compiled loops


@dataclass(frozen=True)
class Calls:
    """Seconds of a fit with nothing compiled, of the first fit of a process, and of a later one."""

    installed: float
    process: float
    later: float


def first_calls(methods: Sequence[str], told: Callable[[Case], None]) -> dict[str, Calls]:
    """Fit with an empty cache of compiled code, then twice in a process that finds it filled."""
    found = {}
    for name in methods:
        case = Case(name, PEOPLE)
        told(case)
        with tempfile.TemporaryDirectory() as folder:
            cache = {"NUMBA_CACHE_DIR": folder}
            with Process(case, warm=False, environment=cache) as process:
                installed = process.ask(fit=True)["seconds"]
            with Process(case, warm=False, environment=cache) as process:
                first, *later = (process.ask(fit=True)["seconds"] for _ in range(3))
        found[name] = Calls(installed, first, median(later))
    return found
