"""Made-up reports in Parquet files, as many as wanted: valid, quickly drawn, of a study by the paper's method."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from semildp import masks
from semildp.simulate import simulate
from semildp.sources import SeededSource
from semildp.stored import Header
from semildp.stored.columns import schema_of
from semildp.study import Feature, Number, Study
from semildp.wire.forms import read_partition
from semildp.wire.messages import AskCell, AskLabel

GROUP = 1_000_000
STUDY = Study(
    name="stored",
    epsilon=4.0,
    label=Number(-1, 4),
    features=tuple(Feature(name, Number(0, 1), name in "ab") for name in "abcd"),
    protocol="hist-of-tree",
    settings={"depth": 6, "bins": 2},
    participation="both",
)


def header() -> Header:
    """Return what is published after both waves: from 20,000 simulated people."""
    rng, n = np.random.default_rng(0), 20_000
    X = rng.uniform(size=(n, 4))
    y = np.clip(X.sum(axis=1) + 0.1 * rng.normal(size=n), -1, 4)
    names = ("fill", "label", "tree", "cell", "cohort")
    sources = {name: SeededSource(k) for k, name in enumerate(names)}
    return Header.of(simulate(STUDY, X, y, masks.aligned(n, 4, [0, 1]), sources=sources).state)


def write(folder: Path, n_people: int, per_file: int) -> list[Path]:
    """Write so many people's reports, in row groups of a million."""
    told = header()
    schema = schema_of(told)
    label = cast(AskLabel, told.waves[0].questions[0].asks[0])
    partition = read_partition(cast(AskCell, told.waves[1].questions[0].asks[0]).partition, STUDY.bounds)
    rng, paths = np.random.default_rng(1), list[Path]()
    for first in range(0, n_people, per_file):
        paths.append(folder / f"part-{len(paths):05d}.parquet")
        with pq.ParquetWriter(paths[-1], schema, use_dictionary=["visit1_question", "visit2_question"]) as file:
            for start in range(first, min(first + per_file, n_people), GROUP):
                n = min(GROUP, first + per_file - start, n_people - start)
                public = np.column_stack([np.full((n, 2), np.nan), rng.random((n, 2))])
                cells = partition.tree.apply(public) * partition.n_codes + rng.integers(0, partition.n_codes, n)
                nothing, zero = pa.nulls(n, pa.float64()), pa.array(np.zeros(n, dtype=np.int32))
                labels = rng.normal(label.mechanism.values / 2, label.mechanism.values, n).astype(np.int32)
                arrays = [nothing, nothing, pa.array(public[:, 2]), pa.array(public[:, 3])]
                arrays += [zero, pa.array(labels), zero, pa.array(cells.astype(np.int32))]
                file.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
    return paths
