"""Ledgers with a fault each, which the stress test has to notice."""

from __future__ import annotations

import threading
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

from semildp.client import Ledger


class NoLock:
    """A lock that everybody gets."""

    holds = True

    def __init__(self, path: Path) -> None: ...

    def release(self) -> None: ...


def unlocked(place: Path, limit: Fraction) -> Ledger:
    """No lock between processes: the last to write wins."""
    with mock.patch("semildp.client.ledger_file.FileLock", NoLock):
        return Ledger.open(place, limit)


class Late(Ledger):
    """Reports are handed out first and written later, when the ledger is closed."""

    def _record(self, sent: Any, limit: Fraction) -> None:
        self._sent, self._limit = sent, limit

    def close(self) -> None:
        if self._file is not None and not self._closed:
            super()._record(self._sent, self._limit)
        super().close()


def late(place: Path, limit: Fraction) -> Ledger:
    if not place.exists():
        Ledger.open(place, limit).close()
    return Late.open(place)


class Hasty(Ledger):
    """Checking, drawing and recording are three steps, and other threads come between."""

    def __init__(self, limit: Any) -> None:
        super().__init__(limit)
        self._one_at_a_time = mock.MagicMock()
        self._recording_alone = mock.MagicMock()  # type: ignore[method-assign]
        self._writes = threading.Lock()

    def _record(self, sent: Any, limit: Fraction) -> None:
        with self._writes:
            super()._record(sent, limit)


def hasty(place: Path, limit: Fraction) -> Ledger:
    return Hasty.open(place, limit)
