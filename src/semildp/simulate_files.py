"""A simulation of the paper's method whose raw rows are read in batches: memory does not grow with their number.

Each part of the rows is answered for by a task of its own, which draws from sources of its own and leaves a file of
reports; no raw row leaves it. The curator reads the files, as it reads those of a collection.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from semildp._arrays import Bools, Floats
from semildp._checks import instance_of, whole_number
from semildp.backends import Backend, Part, Threads
from semildp.client import answer, enrol, ready
from semildp.curator.waves import Asked, Collected, State, Wave
from semildp.errors import InputError
from semildp.models import Model
from semildp.protocols import protocol_of
from semildp.sources import SeededSource, Source
from semildp.stored import fit_reports, open_reports
from semildp.stored.columns import schema_of
from semildp.stored.growing import ask_cells
from semildp.stored.header import Header, StoredWave
from semildp.stored.reading import nobody, read_rows
from semildp.stored.writing import StateColumns, check_empty, file_name, new_file
from semildp.study import Number, Study
from semildp.wire.columns import Answers, Enrolled

Raw = tuple[Floats, Floats, Bools]  # features as numbers, labels, masks


@dataclass(frozen=True, eq=False)
class RawRows:
    """Raw rows in memory, a batch at a time."""

    X: Floats
    y: Floats
    mask: Bools
    batch: int = 1 << 16

    def __len__(self) -> int:
        return len(self.X)

    def __iter__(self) -> Iterator[Raw]:
        for start in range(0, max(len(self.X), 1), self.batch):
            chosen = slice(start, start + self.batch)
            yield self.X[chosen], self.y[chosen], self.mask[chosen]


@dataclass(frozen=True)
class _Task:
    """A part of the raw rows, by its number: what one task answers for."""

    number: int
    part: Part[Raw]

    def __len__(self) -> int:
        return len(self.part)

    def __iter__(self) -> Iterator[_Task]:
        yield self


@dataclass(frozen=True)
class _Answering:
    """Lets the people of a part answer the header's last wave, and leaves all their reports in a file.

    `labels` is the folder of the first wave's files, when the last wave is the second.
    """

    header: Header
    seed: int
    folder: Path
    labels: Path | None = None

    def __call__(self, task: _Task) -> int:
        """Return how many people have answered."""
        study, streams = self.header.study, protocol_of(self.header.study).streams
        fill, own = (self._source(task.number, streams.index(name)) for name in ("fill", self.header.waves[-1].stream))
        before = None if self.labels is None else pq.ParquetFile(self.labels / file_name(task.number))
        with new_file(self.folder / file_name(task.number), schema_of(self.header)) as file:
            for number, raw in enumerate(task.part):
                people = ready(study, *raw, fill)
                sent = [] if before is None else [self._labels(before, number)]
                sent.append(answer(study, self.header.waves[-1].questions[0], people, own))
                file.write_batch(StateColumns(self._state(enrol(people), sent), self.header).batch(slice(None)))
        return len(task)

    def _source(self, part: int, stream: int) -> Source:
        """Return the source of a part's devices; missing values are drawn alike in both waves."""
        return SeededSource(np.random.SeedSequence(self.seed, spawn_key=(part, stream)))

    def _labels(self, before: pq.ParquetFile, batch: int) -> Answers:
        """Return what the people of a batch answered in the first wave: one row group of their file."""
        first = Header(self.header.study, self.header.waves[:1], self.header.own_centres[:1])
        (rows,) = before.read_row_group(batch).combine_chunks().to_batches() or [nobody(before.schema_arrow)]
        return read_rows(first, rows, "A file of the first wave").visits[0].answers

    def _state(self, enrolled: Enrolled, sent: Sequence[Answers]) -> State:
        everyone = np.arange(len(enrolled))
        waves = zip(self.header.waves, sent, strict=True)
        done = [Collected(Wave(w.stream, (Asked(w.questions[0], everyone),)), (answers,)) for w, answers in waves]
        return State(self.header.study, enrolled, {}, done)


def simulate_files(
    study: Study, parts: Sequence[Part[Raw]], folder: str | Path, *, seed: int, backend: Backend | None = None
) -> Model:
    """Run a study by the paper's method on raw rows in parts; its reports are left in `folder`, a file for each part.

    Parameters
    ----------
    study
        The study, by the protocol "hist-of-tree", with the partition's shape in its settings.
    parts
        Parts that give batches of raw rows: features as numbers, labels, masks. They are read twice.
    folder
        Where files are written: empty, or not there yet. Workers of a cluster must find it under the same name.
    seed
        Of all draws: each part has sources of its own, so that results do not depend on who reads which part.
    backend
        Where people answer and reports are added up; the tree is grown in the threads of this process.
    """
    whole_number("seed", seed, 0, 2**128)
    instance_of("study", study, Study)
    if study.protocol != "hist-of-tree" or not isinstance(study.label, Number):
        what = repr(study.protocol) + ("" if isinstance(study.label, Number) else " without a label that is a number")
        raise InputError(
            f"Out of core, the protocol must be 'hist-of-tree', with a label that is a number. Got {what}."
        )
    backend, place = backend or Threads(), check_empty(folder).absolute()
    first = place / "first"
    first.mkdir(parents=True)
    nobody_yet = State(study, enrol(ready(study, *_no_rows(study), SeededSource(seed))), {})
    asked = protocol_of(study).next(nobody_yet)
    assert isinstance(asked, Wave)
    header = Header(study, (StoredWave("label", (asked.asked[0].question,)),), (False,))
    tasks = [_Task(number, part) for number, part in enumerate(parts)]
    files = [file_name(number) for number in range(len(tasks))]
    backend.fold(_Answering(header, seed, first), tasks)
    tree = SeededSource(np.random.SeedSequence(seed, spawn_key=(len(tasks),)))
    question = ask_cells(open_reports([first / name for name in files]), Threads(), tree)
    header = Header(study, (*header.waves, StoredWave("cell", (question,))), (False, False))
    backend.fold(_Answering(header, seed, place, first), tasks)
    shutil.rmtree(first)
    return fit_reports(open_reports([place / name for name in files]), backend)


def _no_rows(study: Study) -> Raw:
    d = len(study.features)
    return np.zeros((0, d)), np.zeros(0), np.zeros((0, d), dtype=np.bool_)
