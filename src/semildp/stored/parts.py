"""Files of stored reports as parts that any process can read; all of one study, with the same questions."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from semildp._kernels.choosing import compiled
from semildp.backends import CHUNK
from semildp.errors import InputError
from semildp.stored.columns import fits, schema_of
from semildp.stored.header import KEY, Header
from semildp.stored.reading import nobody, read_rows
from semildp.stored.rows import Rows
from semildp.study import Study
from semildp.wire.costs import numbers_sent

PART = 1_000_000  # people, at least, of a part; a file's last may have fewer
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # names of settings in malloc.h
_NUMBERS = 1 << 20  # held at a time where an answer has a number for every cell


@dataclass(frozen=True)
class FilePart:
    """Some row groups of a file.

    Parameters
    ----------
    path
        The file. Every process that reads it must find it there.
    groups
        Its row groups.
    header
        SHA-256 of its header: the file must not change between the first look and the last.
    n_people
        How many people there are.
    """

    path: str
    groups: tuple[int, ...]
    header: str
    n_people: int

    def __len__(self) -> int:
        return self.n_people

    def __iter__(self) -> Iterator[Rows]:
        """Read batch after batch; every report is checked."""
        compiled(self.n_people)  # loads the loops where they pay for a whole part; batches alone are too small
        keep_freed_memory()
        with _opened(self.path) as file:
            raw = raw_header(file, self.path)
            if hashlib.sha256(raw).hexdigest() != self.header:
                raise InputError(f"{self.path} must not change while it is read. Got another header. Start again.")
            header, found = read_header(raw, self.path), False
            try:
                for batch in file.iter_batches(batch_size(header), row_groups=list(self.groups), use_threads=False):
                    found = True
                    yield read_rows(header, batch, self.path)
            except pa.ArrowException as problem:
                raise InputError(f"{self.path} could not be read to its end: {problem}.") from None
            if not found:
                yield read_rows(header, nobody(file.schema_arrow), self.path)


@dataclass(frozen=True)
class Reports:
    """Stored reports of one study: what the files say of themselves, and the parts they are read in."""

    header: Header
    parts: tuple[FilePart, ...]

    @property
    def n_people(self) -> int:
        """How many people there are."""
        return sum(map(len, self.parts))


def open_reports(paths: Sequence[str | Path], study: Study | None = None) -> Reports:
    """Look at files of stored reports; another study, other questions or other columns are refused.

    Parameters
    ----------
    paths
        Parquet files, as `write_reports` and `semildp export` write them.
    study
        The study that they must be of; None: any, the same for all.
    """
    if not paths:
        raise InputError("Stored reports must be in at least one file. Got none.")
    first, parts = b"", list[FilePart]()
    for path in (str(Path(each).absolute()) for each in paths):  # workers may be elsewhere
        with _opened(path) as file:
            raw = raw_header(file, path)
            header = read_header(raw, path)
            if study is not None and header.study.digest != study.digest:
                raise InputError(f"{path} must be of the study {study.name!r}, to the last setting. Got another's.")
            if first and raw != first:
                raise InputError(f"{path} must have the same questions as {paths[0]}. Got others.")
            first = raw
            _check_columns(file.schema_arrow, header, path)
            parts += _parts(file, path, hashlib.sha256(raw).hexdigest())
    return Reports(header, tuple(parts))


def raw_header(file: pq.ParquetFile, path: str) -> bytes:
    """Return the header's bytes."""
    raw: bytes | None = (file.schema_arrow.metadata or {}).get(KEY)
    if raw is None:
        raise InputError(f"{path} must be a file of stored reports, as `semildp export` writes it. Got another table.")
    return raw


@lru_cache(maxsize=1)
def keep_freed_memory() -> None:
    """Let glibc keep up to 64 MB of what is freed after each batch, instead of giving it back page by page.

    Without this a third of the time went into page faults, and half of it on Dask's workers, which are told to give
    everything back. Other C libraries have no such setting, and are left alone.
    """
    try:
        settings = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):
        return
    settings(_TRIM_THRESHOLD, 1 << 26)
    settings(_MMAP_THRESHOLD, 1 << 25)


@lru_cache(maxsize=8)
def read_header(raw: bytes, path: str) -> Header:
    """Return the header; that of many parts of a file is read once."""
    return Header.read(raw, path)


def batch_size(header: Header) -> int:
    """Return how many people are held at a time."""
    sent = [numbers_sent(question, header.study.bounds) for wave in header.waves for question in wave.questions]
    return min(CHUNK, max(1, _NUMBERS // max(sent)))


def _opened(path: str) -> pq.ParquetFile:
    with open(path, "rb"):  # fails with the file's name, as pyarrow does not
        pass
    try:
        return pq.ParquetFile(path)
    except pa.ArrowInvalid:
        raise InputError(f"{path} must be a Parquet file. Got something else, or half of one.") from None


def _check_columns(schema: pa.Schema, header: Header, path: str) -> None:
    """Refuse columns that are missing, unknown or of another type."""
    wanted = schema_of(header)
    for field in wanted:
        if field.name not in schema.names:
            raise InputError(f"{path} must have a column {field.name!r}. Got none.")
        if not fits(schema.field(field.name), field):
            got = schema.field(field.name).type
            raise InputError(f"{path} must have {field.type} in the column {field.name!r}. Got {got}.")
    unknown = [name for name in schema.names if name not in wanted.names]
    if unknown or len(schema.names) != len(wanted.names):
        raise InputError(f"{path} must have no column besides the study's. Got {(unknown or schema.names)[0]!r}.")


def _parts(file: pq.ParquetFile, path: str, header: str) -> Iterator[FilePart]:
    """Put neighbouring row groups together until they have enough people."""
    groups, people = list[int](), 0
    for group in range(file.num_row_groups):
        groups.append(group)
        people += file.metadata.row_group(group).num_rows
        if people >= PART or group == file.num_row_groups - 1:
            yield FilePart(path, tuple(groups), header, people)
            groups, people = [], 0
    if not file.num_row_groups:
        yield FilePart(path, (), header, 0)
