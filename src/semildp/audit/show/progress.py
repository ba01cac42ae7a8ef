"""One line on the terminal that says what is being waited for."""

from __future__ import annotations

import shutil
from typing import TextIO


class ProgressLine:
    """Rewrites one line of a terminal; says nothing where there is none.

    Parameters
    ----------
    stream
        Where to write, usually the error stream.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._shown = stream, stream.isatty()

    def __call__(self, done: int, n: int, name: str) -> None:
        """Show that step `done` + 1 of `n` has begun."""
        if self._shown:
            width = shutil.get_terminal_size().columns - 1
            print("\r\033[K" + f"[{done + 1}/{n}] {name} ..."[:width], end="", file=self._stream, flush=True)

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            print("\r\033[K", end="", file=self._stream, flush=True)
