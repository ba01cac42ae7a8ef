"""The file a ledger lives in: held by one process, replaced as a whole, never trusted before it is on the disk."""

from __future__ import annotations

import os
from pathlib import Path

from semildp._checks import short
from semildp.client.file_lock import FileLock
from semildp.client.safe_file import put_in_place, read_synced, remove_unfinished, write_beside
from semildp.errors import InputError, refusal


class LedgerFile:
    """A locked file. Where the path is a symbolic link, lock and file are those of the place it leads to.

    A change takes two calls. `prepare` writes the new content beside the file; if it raises, nothing has changed.
    `commit` puts it in place; if it raises, old or new content may be on the disk, and `settled` stays False until a
    later commit succeeds.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._place = _real_path(path)
        self.settled = True
        try:
            self._lock = FileLock(self._place.with_name(self._place.name + ".lock"))
        except BlockingIOError:
            raise InputError(
                f"The ledger {self._place} is in use by another process, or was opened twice. Close it there first."
            ) from None
        except OSError as problem:
            raise self._failure("locked", problem) from None

    def load(self) -> bytes | None:
        """Return what the file holds, or None where there is none."""
        try:
            remove_unfinished(self._place)
            return read_synced(self._place) if self._place.exists() else None
        except OSError as problem:
            raise self._failure("read", problem) from None

    def prepare(self, content: bytes) -> Path:
        """Write the new content beside the file and return where; nothing has changed yet."""
        if not self._lock.holds:
            raise InputError(
                f"The ledger {self._place} must keep its lock file. It was removed. Close the ledger and open it again."
            )
        try:
            beside = write_beside(self._place, content)
        except OSError as problem:
            raise self._failure("written", problem) from None
        self.settled = False
        return beside

    def commit(self, beside: Path) -> None:
        """Put the new content in place, for good."""
        try:
            put_in_place(beside, self._place)
        except OSError as problem:
            raise self._failure("written", problem) from None
        self.settled = True

    def close(self) -> None:
        """Let another process have the file."""
        self._lock.release()

    def _failure(self, what: str, problem: OSError) -> InputError:
        return InputError(f"The ledger {self._place} could not be {what}: {problem.strerror or problem}.")


def _real_path(path: object) -> Path:
    try:
        real = Path(os.path.realpath(os.fsdecode(path)))  # type: ignore[arg-type]
    except (TypeError, ValueError, OSError):  # no path at all, a NUL in it, or links that lead in a circle
        raise refusal("path", "the path of a file", short(path)) from None
    if not path or (real.exists() and not real.is_file()):
        raise refusal("path", "the path of a file", f"{short(path)}, which is none")
    return real
