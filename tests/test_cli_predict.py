"""`semildp predict`: columns by name, missing cells, refusals; the numbers are those of the model."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from semildp import cli
from semildp.simulate import simulate
from semildp.tables import csv_table
from tests.programs.studies import Case

CASE = Case("public-tree", "split", "none")


@pytest.fixture(scope="module")
def model():
    return simulate(CASE.study, *CASE.people()).model


@pytest.fixture
def here(tmp_path, monkeypatch, model):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.json").write_bytes(model.to_json())
    return tmp_path


def predicted(text, *options):
    with open("data.csv", "w", newline="") as stream:
        stream.write(text)
    return cli.main(["predict", "model.json", "data.csv", *options])


def test_columns_are_found_by_name_and_passed_on(here, model, capsys):
    assert predicted("id,d,c,b,a\nx,0.5,green,0.25,1\ny,-1,red,0,0.5\n") == 0
    out, err = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["id"] for row in rows] == ["x", "y"]
    mean, _ = model.predict(np.array([[1, 0.25, 1, 0.5], [0.5, 0, 0, -1]]))
    assert [float(row["prediction"]) for row in rows] == mean.tolist()
    assert err == ""


def test_what_is_missing_or_odd_is_averaged_over_and_told_once(here, model, capsys):
    assert predicted("a,b,c\n,0.5,mauve\nNA,7,\n0.5,0.5,blue\n") == 0
    out, err = capsys.readouterr()
    mean, _ = model.predict(
        np.array([[np.nan, 0.5, np.nan, np.nan], [np.nan, 7, np.nan, np.nan], [0.5, 0.5, 2, np.nan]])
    )
    assert [float(row["prediction"]) for row in csv.DictReader(io.StringIO(out))] == mean.tolist()
    assert "No column is called 'd'" in err
    assert "'a': 2 cells are missing." in err
    assert "'c': 1 cell is not among the study's values" in err
    assert "'b': 1 cell is outside the study's bounds" in err


def test_blocks_do_not_change_the_result(here, capsys, monkeypatch):
    text = "a,b,c,d\n" + "".join(f"{i / 100},0.5,red,0\n" for i in range(100))
    predicted(text)
    whole = capsys.readouterr().out
    monkeypatch.setattr(csv_table, "BLOCK", 7)
    predicted(text)
    assert capsys.readouterr().out == whole


def test_other_separators_marks_and_line_ends(here, capsys):
    assert predicted("\ufeffa;b;c;d\r\n1;1;red;0\r\n\r\n", "--separator", ";", "-o", "out.csv") == 0
    assert (here / "out.csv").read_text().splitlines()[0] == "a;b;c;d;prediction;standard_deviation"
    assert "1 rows are in out.csv" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "must begin with a line of column names"),
        ("x,y\n1,2\n", "must have columns named as the study's features"),
        ("a,b,a\n1,2,3\n", "Got 'a' more than once"),
        ("a;b\n1;2\n", "Pass --separator ';'"),
        ("a\tb\n1\t2\n", "Pass --separator '\t'"),
        ("a,b\n1\n", "line 2: a row must have 2 cells"),
        ("a,b\n1,2\nx,2\n", "row 2 of people: 'a' must be a number. Got 'x'"),
        ('a,b\n"1,5",2\n', "Write decimals with a point"),
        ('a,b\n"1,2\n', "is no CSV"),
        ("a,prediction\n1,2\n", "must have no column called 'prediction'"),
    ],
)
def test_tables_that_cannot_be_used_are_refused_and_leave_nothing(text, what, here, capsys):
    assert predicted(text, "-o", "out.csv") == 2
    err = capsys.readouterr().err
    assert what in err
    assert len(err.strip().splitlines()) == 1
    assert sorted(p.name for p in here.iterdir()) == ["data.csv", "model.json"]


def test_files_that_cannot_be_used(here, capsys):
    assert predicted("a\n1\n", "-o", "data.csv") == 2
    assert "another file than the data" in capsys.readouterr().err
    assert predicted("a\n1\n", "--separator", ", ") == 2
    assert "one character" in capsys.readouterr().err
    (here / "data.csv").write_bytes(b"a\n\xff\n")
    assert cli.main(["predict", "model.json", "data.csv"]) == 2
    assert "must be in UTF-8" in capsys.readouterr().err
    assert cli.main(["predict", "model.json", "nothing.csv"]) == 2
    assert "nothing.csv could not be used: No such file" in capsys.readouterr().err
    assert cli.main(["predict", "data.csv", "data.csv"]) == 2
    assert "data.csv must be a model, as `semildp model` writes it" in capsys.readouterr().err
