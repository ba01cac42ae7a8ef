"""The types of arrays that the compiled loops take: read-only inputs of any layout, outputs that are contiguous."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import boolean, float64, int64, njit, types

ROWS = types.Array(float64, 2, "A", readonly=True)
FLAGS = types.Array(boolean, 2, "A", readonly=True)
INTS = types.Array(int64, 1, "A", readonly=True)
FLOATS = types.Array(float64, 1, "A", readonly=True)
NUMBERS = types.Array(types.uint64, 1, "C", readonly=True)  # indices: unsigned, so that none is taken from the end
OFFSETS = types.Array(int64, 1, "C", readonly=True)
CUTS = types.Array(float64, 1, "C", readonly=True)
ENDS = types.Array(float64, 2, "C", readonly=True)
CODES = types.uint8[:, ::1]
NODES = types.int32[::1]
OUT = int64[::1]
OUT_FLAGS = boolean[::1]
OUT_2D = int64[:, ::1]
OUT_3D = int64[:, :, ::1]


def loop(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile for one signature, once, and keep it on disk; threads run it at once, without the lock."""
    return njit(signature, nogil=True, cache=True)


def part(function: Callable[..., Any]) -> Any:
    """Compile as a part of the loops that call it."""
    return njit(function, nogil=True, cache=True, inline="always")
