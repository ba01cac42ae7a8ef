"""Replacing a file so that an interruption, at any moment, leaves the old file or the new one, and never a part."""

from __future__ import annotations

import os
import re
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

UNFINISHED = ".unfinished"


def write_beside(place: Path, content: bytes) -> Path:
    """Write and sync a file with a name of its own beside `place`, and return it; `place` itself is not touched.

    The new file gets the mode of the old one, or 0o600 where there is none.
    """
    descriptor, name = tempfile.mkstemp(prefix=f"{place.name}.", suffix=UNFINISHED, dir=place.parent)
    beside = Path(name)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            with suppress(FileNotFoundError):
                beside.chmod(stat.S_IMODE(place.stat().st_mode))
            os.fsync(file.fileno())
    except BaseException:
        remove(beside)
        raise
    return beside


def put_in_place(beside: Path, place: Path) -> None:
    """Give a written file its name, and sync the folder. If this raises, either file may be the one in place."""
    try:
        os.replace(beside, place)
    except BaseException:
        remove(beside)
        raise
    sync_folder(place.parent)


def read_synced(place: Path) -> bytes:
    """Return what a file holds, once no loss of power can bring an older one back."""
    with open(place, "rb" if os.name == "posix" else "r+b") as file:
        os.fsync(file.fileno())
        content = file.read()
    sync_folder(place.parent)
    return content


def sync_folder(folder: Path) -> None:
    """Make the names in a folder last; Windows has no such call."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def remove_unfinished(place: Path) -> None:
    """Remove what interrupted calls of `write_beside` left behind."""
    pattern = re.compile(re.escape(place.name) + r"\.[a-z0-9_]{8}" + re.escape(UNFINISHED))
    for beside in place.parent.iterdir():
        if pattern.fullmatch(beside.name):
            remove(beside)


def remove(path: Path) -> None:
    """Remove a file if it is there and can be removed."""
    with suppress(OSError):
        path.unlink()
