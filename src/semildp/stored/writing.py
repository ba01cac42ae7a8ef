"""From what a curator has collected to Parquet files, one row per person."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from semildp._arrays import Floats, Ints
from semildp.backends import chunks, nothing
from semildp.backends.base import Done
from semildp.curator.waves import Collected, State
from semildp.errors import InputError
from semildp.stored.columns import schema_of
from semildp.stored.header import Header
from semildp.stored.parts import batch_size
from semildp.study import Category, Feature
from semildp.wire.columns import Marks

PEOPLE = 10_000_000  # in a file, at most
GROUP = 1_000_000  # people in a row group, at most


def write_reports(
    state: State, folder: str | Path, *, seed: int | None = None, done: Done = nothing, people: int = PEOPLE
) -> list[Path]:
    """Write all that people sent into a folder that is empty or not there yet: part-00000.parquet and so on.

    Parameters
    ----------
    state
        What a curator has collected, with reports kept (`simulate(..., keep=True)`, `Running(..., keep=True)`).
    folder
        Where to write.
    seed
        Of the curator's own draws, if these are to be made again; never that of a simulation's devices.
    done
        Is told of how many people were written since it was last told.
    people
        How many people a file has, at most.
    """
    header, place = Header.of(state, seed), check_empty(folder)
    if any(len(each.answers) != len(each.wave.asked) for each in state.done):
        raise InputError("Reports must have been kept. Got totals alone. Pass keep=True where they are collected.")
    columns = StateColumns(state, header)
    place.mkdir(parents=True, exist_ok=True)
    written = list[Path]()
    size = min(GROUP, max(1, GROUP // ((1 << 16) // batch_size(header))))
    for number, chunk in enumerate(chunks(len(state.enrolled), people)):
        written.append(place / file_name(number))
        with new_file(written[-1], columns.schema) as file:
            for inner in chunks(chunk.stop - chunk.start, size):
                rows = slice(chunk.start + inner.start, chunk.start + inner.stop)
                file.write_batch(columns.batch(rows))
                done(rows.stop - rows.start)
    return written


def file_name(number: int) -> str:
    """Return what a folder's files are called."""
    return f"part-{number:05d}.parquet"


@contextmanager
def new_file(path: Path, schema: pa.Schema) -> Iterator[pq.ParquetWriter]:
    """Write a file under another name, and give it its own when it is whole."""
    part = path.with_suffix(".part")
    repeated = [f.name for f in schema if pa.types.is_dictionary(f.type) or f.name.endswith("_question")]
    with pq.ParquetWriter(part, schema, use_dictionary=repeated) as file:
        yield file
    part.rename(path)


def check_empty(folder: str | Path) -> Path:
    """Return a folder to write into; one that has files, or a file, is refused."""
    place = Path(folder)
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise InputError(f"{place} must be an empty folder, or not there yet. Got files. Choose another.")
    return place


class StateColumns:
    """All that a curator's state holds, as the columns of files."""

    def __init__(self, state: State, header: Header) -> None:
        self.schema, self._state = schema_of(header), state
        own = zip(state.done, header.own_centres, strict=True)
        self._visits = [_Visits(done, centres, len(state.enrolled)) for done, centres in own]

    def batch(self, rows: slice) -> pa.RecordBatch:
        """Return some people's rows."""
        enrolled = self._state.enrolled
        arrays = [
            _feature(feature, enrolled.public[rows, j], enrolled.mask[rows, j])
            for j, feature in enumerate(self._state.study.features)
        ]
        for visits in self._visits:
            arrays += visits.arrays(rows, self.schema, len(arrays))
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)


def _feature(feature: Feature, values: Floats, hidden: Any) -> Any:
    if isinstance(feature.domain, Category):
        codes = np.where(hidden, 0.0, values).astype(np.int32)
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=hidden), pa.array(list(feature.domain.values)))
    return pa.array(np.where(hidden, 0.0, values), mask=hidden)


class _Visits:
    """Everybody's answers in one wave, by position."""

    def __init__(self, done: Collected, own_centres: bool, n_people: int) -> None:
        self.done, self.own_centres = done, own_centres
        self.question: Ints = np.full(n_people, -1, dtype=np.int32)
        self.place: Ints = np.zeros(n_people, dtype=np.int64)  # among those who were asked the same
        for number, asked in enumerate(done.wave.asked):
            self.question[asked.people] = number
            self.place[asked.people] = np.arange(len(asked.people))

    def arrays(self, rows: slice, schema: pa.Schema, first: int) -> Iterator[Any]:
        """Yield the columns of some people, which begin at place `first`: question, perhaps centre, answers."""
        question, place = self.question[rows], self.place[rows]
        yield pa.array(question, mask=question < 0)
        if self.own_centres:
            yield pa.array(self._centres(question, place), mask=question < 0)
        first += 2 if self.own_centres else 1
        for ask in range(max(len(asked.question.asks) for asked in self.done.wave.asked)):
            yield self._answers(question, place, ask, schema.field(first + ask).type)

    def _centres(self, question: Ints, place: Ints) -> Floats:
        found = np.zeros(len(question))
        for k, asked in enumerate(self.done.wave.asked):
            mine = question == k
            found[mine] = asked.question.centre if asked.centres is None else asked.centres[place[mine]]
        return found

    def _answers(self, question: Ints, place: Ints, ask: int, kind: pa.DataType) -> Any:
        """Lay what people sent to an ask down in the order of the people."""
        count, parts = np.full(len(question), -1, dtype=np.int64), list[tuple[Ints, Marks]]()
        for k, (asked, answers) in enumerate(zip(self.done.wave.asked, self.done.answers, strict=True)):
            if len(asked.question.asks) > ask:
                mine = np.flatnonzero(question == k)
                parts.append((mine, answers[ask].at(place[mine])))
                count[mine] = parts[-1][1].count
        end = np.cumsum(np.maximum(count, 0))
        value = np.zeros(int(end[-1]) if len(end) else 0, dtype=np.int64)
        for mine, marks in parts:
            value[np.repeat(end[mine] - marks.count - marks.first, marks.count) + np.arange(len(marks.value))] = (
                marks.value
            )
        if pa.types.is_integer(kind):
            spread = np.zeros(len(question), dtype=np.int64)
            spread[count >= 0] = value
            return pa.array(spread, type=kind, mask=count < 0)
        offsets = pa.array(np.concatenate([[0], end]).astype(np.int32), mask=np.append(count < 0, False))
        return pa.ListArray.from_arrays(offsets, pa.array(value, type=kind.value_type))
