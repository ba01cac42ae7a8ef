"""Nanoseconds per record of another package's randomisers: python peer_times.py PACKAGE, in an environment that has it.

It imports nothing of this project, and prints a line of JSON: task -> nanoseconds.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from statistics import median
from typing import Any

EPSILON, SIZE = 1.0, 64
SECONDS = 0.3  # about how long one measurement takes
Calls = Callable[[int], object]


def per_record(call: Calls) -> float:
    """Return the median nanoseconds of processor time per record, of five; `call(n)` randomises n records."""
    call(1)
    n, taken = 64, 0.0
    while taken < SECONDS / 4:
        n *= 2
        start = time.process_time()
        call(n)
        taken = time.process_time() - start
    times = []
    for _ in range(5):
        start = time.process_time()
        call(n)
        times.append((time.process_time() - start) / n)
    return 1e9 * median(times)


def one_by_one(function: Callable[..., Any], *arguments: Any) -> Calls:
    """Return what calls a function n times."""
    return lambda n: [function(*arguments) for _ in range(n)]


def at_once(function: Callable[[Sequence[Any]], Any], value: Any) -> Calls:
    """Return what calls a function once with n values."""
    return lambda n: function([value] * n)


def diffprivlib() -> dict[str, Calls]:
    """Return diffprivlib's Laplace mechanism; it has no k-ary or unary response."""
    laplace = import_module("diffprivlib.mechanisms").Laplace(epsilon=EPSILON, sensitivity=1.0)
    return {"laplace": one_by_one(laplace.randomise, 0.5)}


def pure_ldp() -> dict[str, Calls]:
    """Return pure-ldp's direct and unary encoding."""
    oracles = import_module("pure_ldp.frequency_oracles")
    direct = oracles.DEClient(EPSILON, SIZE, index_mapper=lambda value: value)
    unary = oracles.UEClient(EPSILON, SIZE, index_mapper=lambda value: value)
    return {"k-ary": one_by_one(direct.privatise, 3), "unary": one_by_one(unary.privatise, 3)}


def multi_freq_ldpy() -> dict[str, Calls]:
    """Return multi-freq-ldpy's generalised response and symmetric unary encoding."""
    oracles = "multi_freq_ldpy.pure_frequency_oracles"
    k_ary, unary = import_module(f"{oracles}.GRR").GRR_Client, import_module(f"{oracles}.UE").UE_Client
    return {"k-ary": one_by_one(k_ary, 3, SIZE, EPSILON), "unary": one_by_one(unary, 3, SIZE, EPSILON, False)}


def opendp() -> dict[str, Calls]:
    """Return OpenDP's discrete Laplace noise on a vector, randomised response, and response on a vector of bits."""
    dp = import_module("opendp.prelude")
    dp.enable_features("contrib")
    whole = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    bits = dp.bitvector_domain(max_weight=1), dp.discrete_distance()
    k_ary = dp.m.make_randomized_response(list(range(SIZE)), 0.5)
    unary = dp.m.make_randomized_response_bitvec(*bits, f=0.5)
    return {
        "laplace": at_once(dp.m.make_laplace(*whole, scale=1024.0), 512),
        "k-ary": one_by_one(k_ary, 3),
        "unary": one_by_one(unary, bytes(8)),
    }


PACKAGES = {"diffprivlib": diffprivlib, "pure-ldp": pure_ldp, "multi-freq-ldpy": multi_freq_ldpy, "opendp": opendp}

if __name__ == "__main__":
    print(json.dumps({task: per_record(calls) for task, calls in PACKAGES[sys.argv[1]]().items()}))
