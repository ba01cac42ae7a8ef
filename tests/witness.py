"""A witness of work done: which lines ran, on arrays of which shapes, and which random words were asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import semildp
from semildp.sources import SeededSource

PACKAGE = str(Path(semildp.__file__).parent)


class Constant:
    """A source whose words are all the same."""

    def __init__(self, word: int) -> None:
        self.word = word

    def words(self, *shape: int) -> np.ndarray:
        return np.full(shape, self.word, dtype=np.uint64)


class Counted:
    """A source that remembers which shapes were asked for."""

    def __init__(self, source: Any) -> None:
        self.source, self.asked = source, []

    def words(self, *shape: int) -> np.ndarray:
        self.asked.append(shape)
        return self.source.words(*shape)


def seeded() -> SeededSource:
    return SeededSource(7)


def largest() -> Constant:
    """Every threshold is missed: nothing is replaced, no noise is added."""
    return Constant(2**64 - 1)


def smallest() -> Constant:
    """Every threshold is met: everything is replaced; a geometric number would never end."""
    return Constant(0)


def words_asked(call: Callable[[Any], object], source: Any) -> list[tuple[int, ...]]:
    """Run `call(source)`; return the shapes of words asked for. Lines are not looked at, which takes a tenth."""
    counted = Counted(source)
    call(counted)
    return counted.asked


def witness(call: Callable[[Any], object], source: Any) -> tuple[list[tuple[int, ...]], list[tuple[Any, ...]]]:
    """Run `call(source)`; return the shapes of words asked for, and every line that ran with its arrays' shapes."""
    counted, lines = Counted(source), []

    def line(frame: FrameType, event: str, argument: object) -> Any:
        shapes = tuple((n, v.shape, v.dtype.str) for n, v in frame.f_locals.items() if isinstance(v, np.ndarray))
        result = (argument.shape, argument.dtype.str) if isinstance(argument, np.ndarray) else None
        lines.append((event, frame.f_code.co_qualname, frame.f_lineno, shapes, result))
        return line

    def enter(frame: FrameType, event: str, argument: object) -> Any:
        return line(frame, event, argument) if frame.f_code.co_filename.startswith(PACKAGE) else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        call(counted)
    finally:
        sys.settrace(before)
    return counted.asked, lines
