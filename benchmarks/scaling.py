"""How fits grow: with people, features, depth and bins; and how long it takes to predict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from statistics import median

from benchmarks.contenders import CONTENDERS, Case
from benchmarks.racing import PATIENCE, Measured, Process, race

PEOPLE = (10_000, 100_000, 1_000_000, 2_000_000, 10_000_000, 100_000_000)
MOST, QUICK_MOST = 2_000_000, 30_000
GROWING = 1_000_000  # people where features, depth or bins grow
FEATURES, DEPTHS, BINS = (5, 10, 20), (3, 6, 9), (2, 4, 8)
PREDICTED, FITTED = 1_000_000, 100_000
QUICK_PREDICTED, QUICK_FITTED = 100_000, 10_000
PREDICTORS = ("paper", "tree", "semi", "boosting")
ALL = tuple(CONTENDERS)

Group = list[Case]


def by_people(most: int) -> list[Group]:
    """Return a group for each number of people up to `most`, with everyone who is quick enough for it."""
    people = sorted({most // 10, most, *PEOPLE})
    return [[Case(name, n) for name in ALL if n <= CONTENDERS[name].most_rows] for n in people if n <= most]


def by_shape(most: int) -> list[Group]:
    """Return groups of growing features, depth and bins; the middle of each is among those by people."""
    n = min(GROWING, most)
    wide = [[Case(name, n, d=d) for name in ALL] for d in FEATURES if d != 10]
    deep = [[Case(name, n, depth=k) for name in ("paper", "personal", "tree", "histogram-tree")] for k in DEPTHS]
    fine = [[Case(name, n, bins=k) for name in ("paper", "personal")] for k in BINS]
    return wide + [group for group in deep + fine if group[0] != Case("paper", n)]


def measure(groups: Sequence[Group], told: Callable[[Case], None], patience: float = PATIENCE) -> list[Measured]:
    """Fit all groups, one group after the other, the cases of a group in turn."""
    return [measured for group in groups for measured in race(group, told, patience)]


def predictions(rows: int, fitted: int, told: Callable[[Case], None], rounds: int = 5) -> dict[str, float]:
    """Return the median seconds of predicting so many rows, in turn, after a fit."""
    with ExitStack() as open_processes:
        processes = {name: open_processes.enter_context(Process(Case(name, fitted), warm=False)) for name in PREDICTORS}
        for process in processes.values():
            told(process.case)
            process.ask(fit=True)
            process.ask(predict=rows)  # the first call draws the queries and may compile
        taken: dict[str, list[float]] = {name: [] for name in processes}
        for _ in range(rounds):
            for name, process in processes.items():
                taken[name].append(process.ask(predict=rows)["seconds"])
    return {name: median(seconds) for name, seconds in taken.items()}


def find(results: Sequence[Measured], case: Case) -> Measured | None:
    """Return what was measured for a case."""
    return next((measured for measured in results if measured.case == case), None)


def decade(results: Sequence[Measured], method: str) -> tuple[int, float] | None:
    """Return the most people and how many times as long they took as a tenth of them, or None."""
    by_n = {m.case.n: m for m in results if m.case == Case(method, m.case.n)}
    for n in sorted(by_n, reverse=True):
        if n // 10 in by_n:
            return n, by_n[n].typical / by_n[n // 10].typical
    return None
