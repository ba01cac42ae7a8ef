"""Files of stored reports are read strictly: what no service writes is refused in one sentence with the file's name."""

from __future__ import annotations

import json

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from semildp.errors import InputError
from semildp.simulate import simulate
from semildp.stored import fit_reports, open_reports, write_reports
from semildp.stored.header import KEY
from semildp.study import Study
from semildp.wire.forms import read_partition
from tests.programs.studies import Case
from tests.stored_files import simulated, written

HIST, SEMI = Case("hist-of-tree", "both", "personal"), Case("semi-private", "split", "personal")
LABEL, BINS = Case("label-tree", "split", "none"), Case("randomized-features", "split", "personal")


@pytest.fixture
def change(tmp_path):
    """Return a function that writes a case's file, changes its table, and opens it again."""

    def changed(case, edit, header=None):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        (path,) = [part.path for part in written(case, folder).parts]
        table = pq.read_table(path)
        raw = table.schema.metadata[KEY]
        table = edit(table)
        if header is not None:
            raw = json.dumps(header(json.loads(raw))).encode()
        other = folder / "changed.parquet"
        pq.write_table(table.replace_schema_metadata({KEY: raw} if raw else {}), other)
        return open_reports([other], case.study)

    return changed


def column(name, values):
    """Return an edit that gives a column other values: a function of those it has."""

    def edit(table):
        place = table.schema.get_field_index(name)
        old = table.column(name)
        return table.set_column(place, name, pa.array(values(old.to_pylist()), type=old.type))

    return edit


def first(value):
    """Return a function that gives the first person another value."""
    return lambda values: [value(values[0]) if callable(value) else value, *values[1:]]


def refused(reports, words):
    with pytest.raises(InputError, match=words) as problem:
        fit_reports(reports)
    assert "changed.parquet" in str(problem.value)
    assert "\n" not in str(problem.value)


def test_a_file_that_is_changed_in_nothing_is_read(change):
    for case in (HIST, SEMI, LABEL, BINS):
        assert fit_reports(change(case, lambda table: table)).to_json() == simulated(case).model.to_json()


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda t: t.drop_columns("b"), "must have a column 'b'"),
        (lambda t: t.drop_columns("visit2_answer1"), "must have a column 'visit2_answer1'"),
        (lambda t: t.append_column("salary", pa.array([1.0] * len(t))), "no column besides the study's. Got 'salary'"),
        (lambda t: t.set_column(1, "b", t.column("b").cast(pa.float32())), "must have double in the column 'b'"),
        (lambda t: t.set_column(2, "c", pa.array([1] * len(t))), "in the column 'c'. Got int64"),
        (
            lambda t: t.set_column(5, "visit1_answer1", pa.array([[1]] * len(t))),
            "in the column 'visit1_answer1'. Got list",
        ),
    ],
)
def test_columns_are_those_of_the_study(edit, words, change):
    with pytest.raises(InputError, match=words) as problem:
        change(HIST, edit)
    assert "changed.parquet" in str(problem.value)


def test_other_programs_types_are_read(change):
    """Large lists, plain text for categories, 64 bits for whole numbers: as pandas, polars and Spark write them."""

    def edit(table):
        table = table.set_column(2, "c", table.column("c").cast(pa.string()))
        for name in ("visit1_question", "visit1_answer1"):
            table = table.set_column(table.schema.get_field_index(name), name, table.column(name).cast(pa.int64()))
        place = table.schema.get_field_index("visit1_answer2")
        kind = pa.large_list(pa.int64())
        return table.set_column(place, "visit1_answer2", table.column("visit1_answer2").cast(kind)).select(
            list(reversed(table.schema.names))
        )

    assert fit_reports(change(BINS, edit)).to_json() == simulated(BINS).model.to_json()


def test_headers_are_read_strictly(change):
    same = lambda table: table  # noqa: E731
    with pytest.raises(InputError, match="wrong-version"):
        change(HIST, same, lambda told: told | {"version": 2})
    with pytest.raises(InputError, match="unknown-field"):
        change(HIST, same, lambda told: told | {"more": 1})
    with pytest.raises(InputError, match="to the last setting"):
        change(HIST, same, _other_study)
    with pytest.raises(InputError, match="questions of its own study"):
        change(HIST, same, lambda told: told | {"waves": []})
    with pytest.raises(InputError, match="questions of its own study"):
        change(HIST, same, lambda told: told | {"own_centres": []})


def _other_study(told):
    told["study"]["epsilon"] = 3.0
    text = json.dumps(told["study"])
    for wave in told["waves"]:
        for question in wave["questions"]:
            question["study"] = Study.from_json(text).digest
    return told


def test_other_tables_and_halves_of_files_are_refused(tmp_path):
    pq.write_table(pa.table({"a": [1.0]}), tmp_path / "other.parquet")
    with pytest.raises(InputError, match=r"other\.parquet must be a file of stored reports"):
        open_reports([tmp_path / "other.parquet"])
    (path,) = [part.path for part in written(HIST, tmp_path / "reports").parts]
    half = tmp_path / "half.parquet"
    with open(path, "rb") as whole:
        half.write_bytes(whole.read()[:-100])
    with pytest.raises(InputError, match=r"half\.parquet must be a Parquet file"):
        open_reports([half])
    with pytest.raises(InputError, match="at least one file"):
        open_reports([])
    with pytest.raises(FileNotFoundError):
        open_reports([tmp_path / "nothing.parquet"])


def test_files_of_another_study_or_with_other_questions_are_refused(tmp_path):
    one = written(HIST, tmp_path / "one").parts[0].path
    with pytest.raises(InputError, match=r"part-00000\.parquet must be of the study"):
        open_reports([one], SEMI.study)
    rows, labels, mask = HIST.people()
    again = simulate(HIST.study, rows, labels, mask, keep=True)
    (two,) = write_reports(again.state, tmp_path / "two")
    with pytest.raises(InputError, match="the same questions as"):
        open_reports([one, two], HIST.study)


def test_a_file_that_changes_after_the_first_look_is_refused(tmp_path):
    reports = written(HIST, tmp_path / "one")
    other = written(SEMI, tmp_path / "two").parts[0].path
    with open(other, "rb") as file, open(reports.parts[0].path, "wb") as place:
        place.write(file.read())
    with pytest.raises(InputError, match="must not change while it is read"):
        fit_reports(reports)


@pytest.mark.parametrize(
    ("case", "name", "value", "words"),
    [
        (HIST, "b", 1.5, "numbers from 0 to 1 in 'b'"),
        (HIST, "b", float("nan"), "numbers from 0 to 1 in 'b'"),
        (LABEL, "c", "purple", "the study's values in 'c'"),
        (LABEL, "b", None, "a value in 'b' for everyone"),
        (HIST, "visit1_question", 1, "numbers from 0 to 0 in 'visit1_question'"),
        (HIST, "visit1_question", -1, "numbers from 0 to 0 in 'visit1_question'"),
        (HIST, "visit1_question", None, "'visit1_answer1', must hold an answer of everybody who was asked"),
        (HIST, "visit1_answer1", None, "'visit1_answer1', must hold an answer of everybody who was asked"),
        (HIST, "visit1_answer1", 2**31 - 1, "wave 1 as a device sends them. Got one with the problem out-of-domain"),
        (HIST, "visit2_answer1", 999, "wave 2 as a device sends them. Got one with the problem out-of-domain"),
        (HIST, "visit2_answer1", -1, "wave 2 as a device sends them. Got one with the problem out-of-domain"),
        (BINS, "visit1_answer2", [0], "wave 1 as a device sends them. Got one with the problem wrong-count"),
        (BINS, "visit1_answer2", [0, None, 1, 0], "whole numbers"),
    ],
)
def test_values_that_no_device_sends_are_refused(case, name, value, words, change):
    refused(change(case, column(name, first(value))), words)


def test_a_cell_that_the_person_cannot_be_in_is_refused(change):
    """The last person hides nothing that the tree splits: a cell of another leaf is not among their candidates."""
    ask = simulated(HIST).state.done[1].wave.asked[0].question.asks[0]
    partition = read_partition(ask.partition, HIST.study.bounds)

    def moved(values):
        return [*values[:-1], (values[-1] + partition.n_codes) % partition.n_cells]

    refused(change(HIST, column("visit2_answer1", moved)), "not-a-candidate")


def test_centres_are_finite_and_of_those_who_were_asked(change):
    name = next(f"visit{k}_centre" for k in range(1, 9) if SEMI_CENTRES[k - 1])
    asked = lambda values: [float("inf") if v is not None else None for v in values]  # noqa: E731
    refused(change(SEMI, column(name, asked)), "a finite number in")
    refused(change(SEMI, column(name, lambda values: [0.0] * len(values))), "a finite number in")


SEMI_CENTRES = [any(a.centres is not None for a in done.wave.asked) for done in simulated(SEMI).state.done]


def test_who_answers_later_has_answered_before(change):
    def edit(table):
        table = column("visit1_question", first(None))(table)
        return column("visit1_answer1", first(None))(table)

    refused(change(HIST, edit), "answers of wave 1 of everybody who answered later")


def test_without_a_report_of_the_last_wave_there_is_no_model(change):
    def edit(table):
        table = column("visit2_question", lambda values: [None] * len(values))(table)
        return column("visit2_answer1", lambda values: [None] * len(values))(table)

    with pytest.raises(InputError, match="Somebody must have answered in wave 2"):
        fit_reports(change(HIST, edit))


def test_what_is_private_for_everyone_is_null(tmp_path):
    features = (msgspec.structs.replace(HIST.study.features[0], private=True), *HIST.study.features[1:])
    study = msgspec.structs.replace(HIST.study, features=features)
    rows, labels, mask = HIST.people()
    mask[:, 0] = True
    (path,) = write_reports(simulate(study, rows, labels, mask, keep=True).state, tmp_path / "reports")
    assert fit_reports(open_reports([path], study)).study == study
    table = pq.read_table(path)
    pq.write_table(table.set_column(0, "a", pa.array(np.full(len(table), 0.5))), path)
    with pytest.raises(InputError, match="null in 'a', which is private for everyone"):
        fit_reports(open_reports([path], study))


def test_rows_that_a_learner_needs_are_limited(tmp_path):
    reports = written(SEMI, tmp_path)
    with pytest.raises(InputError, match=r"at most 100 people are read. Got 1,500"):
        fit_reports(reports, most_in_memory=100)


def test_nothing_is_overwritten_and_totals_alone_are_not_enough(tmp_path):
    written(HIST, tmp_path / "reports")
    with pytest.raises(InputError, match="empty folder"):
        written(HIST, tmp_path / "reports")
    rows, labels, mask = HIST.people()
    state = simulate(HIST.study, rows, labels, mask).state
    with pytest.raises(InputError, match="keep=True"):
        write_reports(state, tmp_path / "more")
    state.done.clear()
    with pytest.raises(InputError, match="once the first wave was asked"):
        write_reports(state, tmp_path / "more")


def test_a_feature_that_is_called_like_a_column_of_answers_is_refused(tmp_path):
    features = (msgspec.structs.replace(HIST.study.features[0], name="visit1_answer1"), *HIST.study.features[1:])
    study = msgspec.structs.replace(HIST.study, features=features)
    rows, labels, mask = HIST.people()
    with pytest.raises(InputError, match="must not be called 'visit1_answer1'"):
        write_reports(simulate(study, rows, labels, mask, keep=True).state, tmp_path)
