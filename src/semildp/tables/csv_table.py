"""A CSV file with a header line, read in blocks."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from semildp._checks import short
from semildp.errors import InputError

BLOCK = 1 << 14  # rows that are held at a time


class Table:
    """A CSV file with a header line, read in blocks.

    Parameters
    ----------
    stream
        The open file (newline="", encoding utf-8-sig).
    name
        What refusals call it.
    separator
        What stands between cells.
    """

    def __init__(self, stream: TextIO, name: str, separator: str = ",") -> None:
        if len(separator) != 1:
            raise InputError(f"The separator must be one character. Got {separator!r}.")
        self.name, self._reader = name, csv.reader(stream, delimiter=separator, strict=True)
        self.header = next(self._lines(), [])
        if not self.header:
            raise InputError(f"{name} must begin with a line of column names. Got an empty file or line.")
        for other in ";\t,":
            if len(self.header) == 1 and other != separator and other in self.header[0]:
                raise InputError(f"{name} has one column only, {short(self.header[0])}. Pass --separator '{other}'.")
        twice = [column for column, count in Counter(self.header).items() if count > 1]
        if twice:
            raise InputError(f"{name} must have columns with names of their own. Got {quoted(twice)} more than once.")

    def blocks(self) -> Iterator[list[list[str]]]:
        """Yield rows, a block at a time; a row that is shorter or longer than the header is refused."""
        rows: list[list[str]] = []
        for row in self._lines():
            if not row:
                continue  # an empty line
            if len(row) != len(self.header):
                raise InputError(
                    f"{self.name}, line {self._reader.line_num}: a row must have {len(self.header)} cells, as the "
                    f"header has. Got {len(row)}. Quote cells that hold the separator."
                )
            rows.append(row)
            if len(rows) == BLOCK:
                yield rows
                rows = []
        if rows:
            yield rows

    def _lines(self) -> Iterator[list[str]]:
        try:
            yield from self._reader
        except UnicodeDecodeError:
            raise InputError(f"{self.name} must be in UTF-8. Got other bytes. Save it as CSV in UTF-8.") from None
        except csv.Error as problem:
            raise InputError(f"{self.name}, line {self._reader.line_num}, is no CSV: {problem}.") from None


@contextmanager
def open_table(path: Path, separator: str = ",") -> Iterator[Table]:
    """Open a CSV file as a table; a byte order mark, as some programs write it, is skipped."""
    with path.open(newline="", encoding="utf-8-sig") as stream:
        yield Table(stream, str(path), separator)


def quoted(names: Sequence[str]) -> str:
    """Return a few names as text, in quotes."""
    return ", ".join(repr(name) for name in names[:5]) + (", ..." if len(names) > 5 else "")
