"""A lock that one process holds at a time: the system takes it back when the process ends, however it ends."""

from __future__ import annotations

import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


class FileLock:
    """An exclusive lock on a file that exists for nothing else, held from construction to `release`.

    The file stays when the lock is released: were it removed, one process could lock the removed file and another the
    new one. A second lock on the same file raises `BlockingIOError`, in this process too.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._process = path, os.getpid()
        self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
        try:
            _lock(self._file.fileno())
        except BaseException:
            self._file.close()
            raise

    @property
    def holds(self) -> bool:
        """Whether others still meet this lock: its file was not removed or replaced since."""
        try:
            return not self._file.closed and os.path.samestat(os.fstat(self._file.fileno()), self._path.stat())
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Let go. In a child process that inherited the lock, only the child's share of the file is closed."""
        if not self._file.closed and os.getpid() == self._process:
            _unlock(self._file.fileno())
        self._file.close()


if sys.platform == "win32":

    def _lock(descriptor: int) -> None:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            raise BlockingIOError from None

    def _unlock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
