"""A Dask DataFrame of stored reports: its partitions as parts, each read on the worker that holds it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from dask import delayed

from semildp.backends.dask import Dask
from semildp.errors import InputError
from semildp.models import Model
from semildp.protocols import protocol_of
from semildp.stored.columns import schema_of
from semildp.stored.fitting import fit_parts, last_tally
from semildp.stored.header import Header
from semildp.stored.parts import batch_size
from semildp.stored.reading import nobody, read_rows
from semildp.stored.rows import Rows


@dataclass(frozen=True)
class FramePart:
    """A pandas DataFrame with the columns of a file of stored reports."""

    header: Header
    frame: Any

    def __len__(self) -> int:
        return len(self.frame)

    def __iter__(self) -> Iterator[Rows]:
        """Read batch after batch; every report is checked."""
        table = self._table()
        batches = table.to_batches(max_chunksize=batch_size(self.header)) or [nobody(table.schema)]
        for batch in batches:
            yield read_rows(self.header, batch, "A partition of the frame")

    def _table(self) -> pa.Table:
        try:
            return pa.Table.from_pandas(self.frame, schema=schema_of(self.header), preserve_index=False)
        except (pa.ArrowException, KeyError, TypeError) as problem:
            raise InputError(f"The frame must have the columns of stored reports: {problem}.") from None


def fit_frame(header: Header, frame: Any, backend: Dask) -> Model:
    """Make the model of a Dask DataFrame, whose columns are those of stored reports.

    Parameters
    ----------
    header
        What was published: `open_reports([one file]).header`, or that of a simulation, `Header.of(state)`.
    frame
        The Dask DataFrame. A protocol whose learner needs people's rows is refused: read the files with `fit_reports`.
    backend
        The cluster.
    """
    if last_tally(header, protocol_of(header.study)) is None:
        raise InputError(
            f"From a frame, a model can be made if reports are added up. Got {header.study.protocol!r}, whose learner "
            "needs people's rows. Write Parquet files, and use `fit_reports`."
        )
    shared = delayed(header, pure=False)
    parts = [delayed(FramePart, pure=False)(shared, part) for part in frame.to_delayed()]
    return fit_parts(header, parts, backend)
