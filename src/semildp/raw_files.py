"""Raw rows of a simulation, read from Parquet files in batches. They stay with the task that reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from semildp._arrays import Bools, Floats
from semildp.backends import CHUNK
from semildp.errors import InputError
from semildp.study import Category, Feature, Study


@dataclass(frozen=True)
class RawFile:
    """One row group of a Parquet file with a column for each feature and one for the label.

    Parameters
    ----------
    path, group
        The file, which every worker must find there, and the row group.
    study
        Its features are found by name; a category by its values as text.
    label
        The label's column.
    private
        Features that everybody hides, besides those that the study says.
    n_people
        How many rows there are.
    """

    path: str
    group: int
    study: Study
    label: str
    private: tuple[str, ...]
    n_people: int

    def __len__(self) -> int:
        return self.n_people

    def __iter__(self) -> Iterator[tuple[Floats, Floats, Bools]]:
        """Read features as numbers, labels and masks, batch after batch; what is null is missing."""
        row = np.array([name in self.private for name in self.study.names])
        with pq.ParquetFile(self.path) as file:
            names = [*self.study.names, self.label]
            for batch in file.iter_batches(CHUNK, row_groups=[self.group], columns=names, use_threads=False):
                X = np.stack([_numbers(f, batch.column(f.name)) for f in self.study.features], axis=1)
                y = batch.column(self.label).cast(pa.float64()).to_numpy(zero_copy_only=False)
                yield X, y, np.broadcast_to(row, X.shape).copy()


def raw_files(paths: Sequence[str | Path], study: Study, label: str, private: Sequence[str] = ()) -> list[RawFile]:
    """Return the row groups of files as parts, for `simulate_files`; a column that is not there is refused."""
    unknown = [name for name in private if name not in study.names]
    if unknown:
        raise InputError(f"Private features must be the study's. Got {unknown[0]!r}.")
    parts = list[RawFile]()
    for path in (str(Path(each).absolute()) for each in paths):
        with pq.ParquetFile(path) as file:
            for name in (*study.names, label):
                if name not in file.schema_arrow.names:
                    raise InputError(f"{path} must have a column {name!r}. Got none.")
            sizes = [file.metadata.row_group(k).num_rows for k in range(file.num_row_groups)]
        parts += [RawFile(path, k, study, label, tuple(private), n) for k, n in enumerate(sizes) if n]
    return parts


def _numbers(feature: Feature, column: pa.Array) -> Floats:
    """Return a feature as numbers; NaN is missing, or no value of the category."""
    if not isinstance(feature.domain, Category):
        values: Floats = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
        return values
    codes = {value: float(code) for code, value in enumerate(feature.domain.values)}
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    table = np.array([codes.get(str(value), np.nan) for value in encoded.dictionary.to_pylist()] + [np.nan])
    return table[encoded.indices.fill_null(len(table) - 1).to_numpy()]  # type: ignore[no-any-return]
