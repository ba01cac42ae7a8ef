"""Small ratios, ours over theirs, each measured in turn in a few seconds: what benchmarks.guard looks at.

Counted is the processor's time, that of all threads and of the processes started, with OpenMP and BLAS on one thread:
on a busy machine the clock on the wall says more about the others.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import lru_cache, partial
from statistics import median
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks.contenders import CONTENDERS, Case
from benchmarks.imports import ESTIMATOR, OURS, SKLEARN, THEIRS
from benchmarks.people import draw
from benchmarks.randomisers import ours, unsafe
from semildp.sources import SystemSource

PEOPLE, MANY = 10_000, 140_000  # few, and enough for the compiled loops
ROWS = 100_000
RECORDS = 1 << 16
ROUNDS = 3


def in_turn(one: Callable[[], object], other: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Return the median work of one over that of the other, called in turn after one call each."""
    calls = one, other
    taken: tuple[list[float], list[float]] = [], []
    with threadpool_limits(1):
        for turn in range(rounds + 1):
            for call, times in zip(calls, taken, strict=True):
                start = work()
                call()
                if turn:
                    times.append(work() - start)
    return median(taken[0]) / median(taken[1])


def work() -> float:
    """Return the seconds of processor time that this process and those it started have used."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def fit(method: str, n: int) -> Callable[[], Any]:
    """Return what fits an estimator once; the libraries it needs are loaded before, so that threads can be limited."""
    case, contender = Case(method, n), CONTENDERS[method]
    contender.build(case)
    people = draw(n, case.d, personal=contender.personal)
    rest = {} if people.mask is None else {"mask": people.mask}
    return lambda: contender.build(case).fit(people.X, people.y, **rest)


@lru_cache
def fitted(method: str) -> Any:
    """Return a fitted estimator, fitted once."""
    fit_once = fit(method, PEOPLE)
    with threadpool_limits(1):
        return fit_once()


def predict(method: str) -> Callable[[], object]:
    """Return what predicts many rows once."""
    rows, model = draw(ROWS, Case(method, ROWS).d).X, fitted(method)
    return lambda: model.predict(rows)


def run(statement: str) -> None:
    """Run a statement in a fresh process."""
    subprocess.run([sys.executable, "-c", statement], check=True)


def randomise(task: str) -> float:
    """Return the time of a randomiser, from the operating system's randomness, over NumPy's unsafe draw."""
    return in_turn(partial(ours(SystemSource())[task], RECORDS), partial(unsafe()[task], RECORDS), 5)


RATIOS: dict[str, Callable[[], float]] = {
    "paper's method, 140,000 people, over a histogram tree": lambda: in_turn(
        fit("paper", MANY), fit("histogram-tree", MANY)
    ),
    "personal masks, 140,000 people, over a histogram tree": lambda: in_turn(
        fit("personal", MANY), fit("histogram-tree", MANY)
    ),
    "SemiPrivateRegressor, 10,000 people, over boosting": lambda: in_turn(
        fit("semi", PEOPLE), fit("boosting", PEOPLE), 1
    ),
    "predict, paper's method over a decision tree": lambda: in_turn(predict("paper"), predict("tree")),
    "predict, SemiPrivateRegressor over boosting": lambda: in_turn(predict("semi"), predict("boosting")),
    "Laplace noise over NumPy's": lambda: randomise("laplace"),
    "k-ary response over NumPy's": lambda: randomise("k-ary"),
    "unary response over NumPy's": lambda: randomise("unary"),
    "import semildp over numpy": lambda: in_turn(lambda: run(OURS), lambda: run(THEIRS), 5),
    "import SemiPrivateRegressor over sklearn": lambda: in_turn(lambda: run(ESTIMATOR), lambda: run(SKLEARN)),
}
