"""A simulation whose rows are read in parts: the curator does what it would do with all of them in memory."""

from __future__ import annotations

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from semildp.backends import Serial, Threads
from semildp.errors import InputError
from semildp.protocols import protocol_of
from semildp.raw_files import raw_files
from semildp.simulate_files import RawRows, simulate_files
from semildp.sources import SeededSource
from semildp.stored import open_reports
from semildp.stored.gathering import gathered
from tests.programs.studies import Case

CASES = [Case("hist-of-tree", "both", mask) for mask in ("aligned", "personal", "hidden")]


def study_of(case, **settings):
    given = {"depth": 3, "bins": 2, "n_histogram_features": 2, **settings}
    return msgspec.structs.replace(case.study, settings=given)


def parts_of(case, n_parts=3, batch=17):
    """Return the people of a case in parts; some of what they hide is missing."""
    X, y, mask = case.people()
    X = np.where(mask & (np.arange(len(X)) % 5 == 0)[:, None], np.nan, X)
    pieces = np.array_split(np.arange(len(X)), n_parts)
    return [RawRows(X[piece], y[piece], mask[piece], batch) for piece in pieces]


@pytest.mark.parametrize("settings", [{}, {"splitter": "random"}, {"cell_mechanism": "rr"}])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_question_and_model_are_those_of_all_reports_in_memory(case, settings, tmp_path):
    study = study_of(case, **settings)
    model = simulate_files(study, parts_of(case), tmp_path / "reports", seed=5)
    reports = open_reports(sorted((tmp_path / "reports").glob("*.parquet")), study)
    assert reports.n_people == case.n_people
    protocol = protocol_of(study)
    state = gathered(reports.header, protocol, reports.parts)
    cells = state.done.pop()
    state.sources = {"tree": SeededSource(np.random.SeedSequence(5, spawn_key=(3,)))}
    wave = protocol.next(state)
    assert wave.asked[0].question == cells.wave.asked[0].question
    state.done.append(cells)
    state.done[1] = type(cells)(cells.wave, cells.answers, state.scan(1, wave.tally))
    assert protocol.next(state).body == model.body


def test_any_back_end_gives_the_same_files_and_the_same_model(tmp_path):
    case = CASES[1]
    one = simulate_files(study_of(case), parts_of(case), tmp_path / "one", seed=5, backend=Serial())
    two = simulate_files(study_of(case), parts_of(case), tmp_path / "two", seed=5, backend=Threads(3))
    assert one.to_json() == two.to_json()
    for file in sorted((tmp_path / "one").iterdir()):
        assert pq.read_table(file).equals(pq.read_table(tmp_path / "two" / file.name))
    other = simulate_files(study_of(case), parts_of(case), tmp_path / "three", seed=6)
    assert other.to_json() != one.to_json()


def test_what_is_private_is_null_in_every_file(tmp_path):
    case = CASES[0]
    simulate_files(study_of(case), parts_of(case), tmp_path / "reports", seed=5)
    names = {path.name for path in (tmp_path / "reports").iterdir()}
    assert names == {"part-00000.parquet", "part-00001.parquet", "part-00002.parquet"}
    for name in names:
        table = pq.read_table(tmp_path / "reports" / name)
        assert table.column("a").null_count == table.column("c").null_count == len(table)


def test_people_of_different_parts_draw_differently(tmp_path):
    """Two parts with the same people: noise of 4 bits and more makes it unlikely (below 2**-100) that all agree."""
    case = CASES[0]
    (part,) = parts_of(case, 1)
    simulate_files(study_of(case), [part, part], tmp_path / "reports", seed=5)
    sent = [pq.read_table(tmp_path / "reports" / f"part-0000{k}.parquet").column("visit1_answer1") for k in (0, 1)]
    assert not sent[0].equals(sent[1])


@pytest.mark.parametrize(
    ("case", "settings", "words"),
    [
        (CASES[1], {"depth": "auto"}, "must be numbers"),
        (CASES[1], {"splitter": "cart"}, "splitter"),
        (Case("public-tree", "split", "aligned"), None, "'hist-of-tree'"),
        (Case("semi-private", "split", "aligned"), None, "Got 'semi-private'"),
        (Case("hist-of-tree", "both", "aligned", classes=True), None, "without a label that is a number"),
    ],
)
def test_what_needs_everybody_at_once_is_refused(case, settings, words, tmp_path):
    study = case.study if settings is None else study_of(case, **settings)
    with pytest.raises(InputError, match=words):
        simulate_files(study, parts_of(case), tmp_path / "reports", seed=5)
    if settings is None:
        assert not (tmp_path / "reports").exists()


def raw_table(case):
    """Return raw rows as a table: categories as text, a row group for every 50 people."""
    X, y, _ = case.people()
    columns = {name: X[:, j] for j, name in enumerate(case.study.names)}
    columns["c"] = pa.array([("red", "green", "blue")[int(code)] for code in X[:, 2]])
    return pa.table({**columns, "sleep": y, "weight": y})


def test_raw_rows_are_read_from_files(tmp_path):
    case = CASES[0]
    study = study_of(case)
    pq.write_table(raw_table(case), tmp_path / "raw.parquet", row_group_size=50)
    parts = raw_files([tmp_path / "raw.parquet"], study, "sleep", ["a", "c"])
    assert [len(part) for part in parts] == [50, 50, 20]
    X, y, mask = case.people()
    pieces = [slice(0, 50), slice(50, 100), slice(100, 120)]
    held = [RawRows(X[s], y[s], mask[s]) for s in pieces]
    one = simulate_files(study, parts, tmp_path / "one", seed=5)
    assert one.to_json() == simulate_files(study, held, tmp_path / "two", seed=5).to_json()


def test_files_without_a_column_are_refused(tmp_path):
    case = CASES[0]
    pq.write_table(raw_table(case), tmp_path / "raw.parquet")
    with pytest.raises(InputError, match="must have a column 'hours'"):
        raw_files([tmp_path / "raw.parquet"], study_of(case), "hours")
    with pytest.raises(InputError, match="Got 'weight'"):
        raw_files([tmp_path / "raw.parquet"], study_of(case), "sleep", ["weight"])
