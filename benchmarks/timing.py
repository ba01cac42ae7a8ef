"""Can the time a device takes tell what is private? python -m benchmarks.timing [--repeats N].

One person's report is made again and again for different private inputs, in random order, so that whatever else the
machine does slows all of them alike. Every input is held against the first by a Mann-Whitney test, with Holm's
correction over all of them. A client that leaks on purpose has to be caught, or the test has no power.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable
from statistics import median
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import mannwhitneyu

from semildp.client import answer, enrol, ready
from semildp.curator.joint import JointTerms
from semildp.mechanisms import GeneralisedResponse, PairResponse
from semildp.partition import Partition, Tree
from semildp.protocols.asks import ask_cell, ask_label
from semildp.sources import Source, SystemSource
from semildp.study import Category, Feature, Number, Study
from semildp.wire.forms import by_size, mechanism_message, partition_message
from semildp.wire.messages import Ask, AskBins, AskPair, AskSigned, Question

LEVEL = 1e-3
STUDY = Study(
    name="timing",
    epsilon=1.0,
    label=Number(0, 1),
    features=(*(Feature(name, Number(0, 1)) for name in "abc"), Feature("kind", Category(("one", "two", "three")))),
)
TREE = Tree((1, 2, 2, -1, -1, -1, -1), (0.5, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0), (1, 3, 5, 0, 0, 0, 0))
PARTITION = Partition(STUDY.bounds, (0,), (4,), TREE)
MASK = np.array([[True, False, True, True]])
LEAKY = "leaks on purpose"

# private features, category, label: both ends, the middle, out of bounds, missing
INPUTS = {
    "low": (0.0, 0.0, 0.0),
    "high": (1.0, 2.0, 1.0),
    "middle": (0.4, 1.0, 0.51),
    "beyond": (9.0, 9.0, -9.0),
    "missing": (np.nan, np.nan, 0.3),
    "no label": (0.4, 1.0, np.nan),
}
Row = tuple[NDArray[np.float64], NDArray[np.float64]]


def reports() -> dict[str, Callable[[Row, Source], Any]]:
    """Return every kind of report, from one raw row to what is sent."""
    public = enrol(ready(STUDY, np.array([[0.5, 0.7, 0.5, 1.0]]), np.array([0.5]), MASK, SystemSource()))

    def pair(kind: str, feature: int, bins: int) -> AskPair:
        partition = Partition(STUDY.bounds, (feature,), (bins,), Tree())
        mechanisms = by_size([(bins, PairResponse(1.0, bins, 2, kind).mechanism)])
        return AskPair(partition_message(partition), (0.5,), 0.5, mechanisms, 1.0)

    crossed = partition_message(Partition(STUDY.bounds, (0, 3), (8, 3), Tree()))
    turned: tuple[Literal[-1, 1], ...] = (1, -1) * 12
    signed = AskSigned(crossed, turned, 0.5, mechanism_message(GeneralisedResponse(1.0, 3)), 1.0)
    bins = AskBins(tuple(mechanism_message(GeneralisedResponse(0.25, n or 4)) for n in STUDY.n_values), 0.25)
    asks: dict[str, Ask] = {
        "label, window": ask_label("window", 0.0, 1.0, 1.0),
        "label, laplace": ask_label("laplace", 0.0, 1.0, 1.0),
        "cell, generalised": ask_cell(PARTITION, "grr", 1.0, public),
        "cell, binary": ask_cell(PARTITION, "rr", 1.0, public),
        "pair, generalised": pair("generalised", 0, 4),
        "pair, subset": pair("subset", 0, 4),
        "pair, paired": pair("paired", 0, 4),
        "pair, category": pair("generalised", 3, 3),
        "signed": signed,
        "joint": JointTerms(PARTITION, np.full(4, 0.5), 0.5, 0.2, 1.0).ask(public),
        "bins": bins,
    }

    def send(ask: Ask) -> Callable[[Row, Source], Any]:
        question = Question(STUDY.digest, 1, (ask,))
        return lambda row, source: answer(STUDY, question, ready(STUDY, *row, MASK, source), source)

    def search(row: Row, source: Source) -> int:
        """Look for the true cell and stop there: how long it takes tells which it is."""
        true = int(PARTITION.cell(ready(STUDY, *row, MASK, source).rows)[0])
        return next(c for c in range(PARTITION.n_cells) for _ in range(20) if c == true)

    return {**{name: send(ask) for name, ask in asks.items()}, LEAKY: search}


def measure(send: Callable[[Row, Source], Any], repeats: int, rng: np.random.Generator) -> dict[str, list[int]]:
    """Return nanoseconds per report for every input; each repeat takes all inputs once, in random order."""
    rows = {name: (np.array([[x, 0.7, x, kind]]), np.array([y])) for name, (x, kind, y) in INPUTS.items()}
    source, names, times = SystemSource(), list(rows), {name: list[int]() for name in rows}
    for repeat in range(repeats + 20):
        for i in rng.permutation(len(names)):
            row = rows[names[i]]
            start = time.perf_counter_ns()
            send(row, source)
            taken = time.perf_counter_ns() - start
            if repeat >= 20:  # thresholds are computed at first use
                times[names[i]].append(taken)
    return times


def holm(p_values: list[float]) -> list[float]:
    """Return p-values corrected for how many there are."""
    order, corrected, worst = np.argsort(p_values), [0.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        worst = max(worst, min(1.0, (len(p_values) - rank) * p_values[i]))
        corrected[int(i)] = worst
    return corrected


def main() -> None:
    """Time all reports and print which inputs can be told apart."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=2000)
    repeats, rng = parser.parse_args().repeats, np.random.default_rng()
    gc.disable()
    rows = []
    for name, send in reports().items():
        times = measure(send, repeats, rng)
        first = next(iter(INPUTS))
        for other in list(INPUTS)[1:]:
            p = float(mannwhitneyu(times[first], times[other]).pvalue)
            rows.append((name, other, median(times[first]) / 1e3, median(times[other]) / 1e3, p))
    corrected = holm([row[-1] for row in rows])
    print(
        f"{'report':20} {'input':>8}  {'low, µs':>8} {'input, µs':>9} {'p':>8} {'Holm':>8}   ({repeats} reports each)"
    )
    for (name, other, a, b, p), q in zip(rows, corrected, strict=True):
        print(f"{name:20} {other:>8}  {a:8.1f} {b:9.1f} {p:8.1e} {q:8.1e}   {'told apart' if q < LEVEL else ''}")
    apart = {row[0] for row, q in zip(rows, corrected, strict=True) if q < LEVEL}
    print(f"\nReports that the clock tells apart at level {LEVEL:g}: {sorted(apart - {LEAKY}) or 'none'}.")
    print(f"The client that leaks on purpose is {'caught' if LEAKY in apart else 'NOT caught: no power'}.")


if __name__ == "__main__":
    main()
