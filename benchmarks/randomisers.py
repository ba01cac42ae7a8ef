"""Nanoseconds per record of this package's randomisers, and of NumPy's floating-point draws, which are not safe."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.peer_times import EPSILON, SIZE, per_record
from semildp.mechanisms import BinaryResponse, DiscreteLaplace, GeneralisedResponse
from semildp.sources import SeededSource, Source, SystemSource

STEPS = 1024  # of the label's grid
BATCH = 1 << 16  # records at a time
TASKS = {
    "laplace": "Laplace noise",
    "k-ary": f"k-ary response, k = {SIZE}",
    "unary": f"unary response, {SIZE} bits",
}
Calls = Callable[[int], object]


def ours(source: Source) -> dict[str, Calls]:
    """Return this package's randomisers with a source of randomness."""
    laplace, k_ary, unary = (
        DiscreteLaplace(EPSILON, STEPS),
        GeneralisedResponse(EPSILON, SIZE),
        BinaryResponse(EPSILON, SIZE),
    )
    return {
        "laplace": _batches(lambda n: laplace.randomise(np.full(n, STEPS // 2), source)),
        "k-ary": _batches(lambda n: k_ary.randomise(np.full(n, 3), source)),
        "unary": _batches(lambda n: unary.randomise(np.full(n, 3), source)),
    }


def unsafe() -> dict[str, Calls]:
    """Return the same in NumPy with floating-point probabilities and a seed."""
    rng = np.random.default_rng(0)
    kept = np.exp(EPSILON) / (np.exp(EPSILON) + SIZE - 1)
    flipped = 1 / (1 + np.exp(EPSILON / 2))
    true = np.arange(SIZE) == 3

    def k_ary(n: int) -> object:
        other = rng.integers(SIZE - 1, size=n)
        return np.where(rng.random(n) < kept, 3, other + (other >= 3))

    return {
        "laplace": _batches(lambda n: 0.5 + rng.laplace(scale=1 / EPSILON, size=n)),
        "k-ary": _batches(k_ary),
        "unary": _batches(lambda n: (rng.random((n, SIZE)) < flipped) ^ true),
    }


def _batches(call: Calls) -> Calls:
    return lambda n: [call(min(BATCH, n - start)) for start in range(0, n, BATCH)]


def randomiser_times(told: Callable[[str], None]) -> dict[str, dict[str, float]]:
    """Return nanoseconds per record by package and task."""
    found = {}
    kinds = {"semildp": ours(SystemSource()), "semildp, seeded": ours(SeededSource(0)), "NumPy (unsafe)": unsafe()}
    for name, tasks in kinds.items():
        told(name)
        found[name] = {task: per_record(calls) for task, calls in tasks.items()}
    return found
