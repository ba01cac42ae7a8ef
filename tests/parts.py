"""Parts for tests of back ends: numbers in memory, and parts that go wrong where they are read."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from semildp._kernels.sums import checked_sum
from semildp.errors import InputError


@dataclass(frozen=True, eq=False)
class Sum:
    """A sum that is refused if it does not fit in 64 bits."""

    value: np.ndarray

    def __add__(self, other: Sum) -> Sum:
        return Sum(checked_sum(self.value, other.value))


def summed(batch: np.ndarray) -> Sum:
    """A tally."""
    return Sum(batch.sum(keepdims=True))


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers in batches of three."""

    numbers: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[np.ndarray]:
        for start in range(0, max(len(self.numbers), 1), 3):
            yield np.array(self.numbers[start : start + 3], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Held:
    """One batch, as it is."""

    batch: Any

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[Any]:
        yield self.batch


def itself(batch: Any) -> Any:
    """A tally of batches that are totals already."""
    return batch


@dataclass(frozen=True)
class Deadly:
    """A part that kills the process which reads it first, half-way; the next one reads it whole."""

    part: Any
    flag: str

    def __len__(self) -> int:
        return len(self.part)

    def __iter__(self) -> Iterator[Any]:
        first = not Path(self.flag).exists()
        for batch in self.part:
            yield batch
            if first:
                Path(self.flag).write_text(str(os.getpid()))
                os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class Refused:
    """A part that is refused."""

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[Any]:
        raise InputError("This part must be good. Got a bad one.")
        yield
