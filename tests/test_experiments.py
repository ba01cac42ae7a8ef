"""The experiments: data, shared work that changes no distribution, runs that go on where they stopped."""

from __future__ import annotations

import csv
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from experiments.common import cell_grid
from experiments.common.cell_grid import evaluate
from experiments.common.datasets import ENVIRONMENT_VARIABLE, DataNotFoundError, find_folder, load
from experiments.common.functions import FUNCTIONS
from experiments.common.honest import cell_score, label_score
from experiments.common.names import ALL_PUBLIC, BOUNDED_MEAN, JOINT, PRIVATE_MEAN, SEMI_PRIVATE, WITHOUT_PRIVATE
from experiments.common.problem import Problem
from experiments.common.task import Task
from experiments.methods.hist import summed_noise
from experiments.methods.joint import joint
from experiments.methods.semi_private import semi_private
from experiments.run.command import main, parse, tasks_by_study
from experiments.run.studies import RECIPES
from experiments.show.summary import load as load_summary
from experiments.show.summary import rank_sums, reported
from semildp import SemiPrivateRegressor, masks
from semildp.mechanisms import DiscreteLaplace
from semildp.partition import Shape
from semildp.sources import SeededSource
from tests.people import BOUNDS, simulate
from tests.standin import write_standin

SHARED = Path(__file__).parents[2] / "shared" / "data"
ROOT = Path(__file__).parents[1]


TOY = """
from experiments.common.datasets import Recipe, data_set
from experiments.common.registry import method
from experiments.common.rows import Row

data_set("TOY", Recipe("toy.csv", "y"))


@method("toy", "table", when=lambda task: task.preference == "aligned")
def toy(problem, task):
    return [Row("Middle", problem.error(sum(problem.label_bounds) / 2), depth=depth) for depth in (1, 2)]
"""
FEW = ("AQU", "DAK")  # small data sets, where all ten would tell no more


def problem(n=400, mask=None):
    X, y, _ = simulate(n)
    fresh, _, truth = simulate(200, seed=7)
    chosen = masks.first(n, 5, 2) if mask is None else mask
    return Problem(X, y, fresh, truth, chosen, BOUNDS["label_bounds"], np.random.SeedSequence(0))


pytestmark = pytest.mark.xdist_group("experiments")  # one worker, so that the table below is made once


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_standin(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def whole(data, tmp_path_factory):
    """The folder of a table that one worker made without a stop."""
    out = tmp_path_factory.mktemp("whole")
    assert run_table(data, out) == 0
    return out


@pytest.mark.skipif(not SHARED.exists(), reason="The ten data sets are not here; the stand-in is tested instead.")
@pytest.mark.parametrize(
    ("code", "n", "d"),
    [
        ("ABA", 4177, 8),
        ("AQU", 546, 8),
        ("BUI", 372, 107),
        ("DAK", 536, 8),
        ("FIS", 908, 6),
        ("MUS", 1059, 68),
        ("POR", 63, 6),
        ("PYR", 74, 27),
        ("RED", 1599, 11),
        ("WHI", 4898, 11),
    ],
)
def test_real_data_sets_have_the_right_shape(code, n, d):
    data_set = load(code, SHARED)
    assert data_set.X.shape == (n, d)
    assert data_set.X.min() >= 0
    assert data_set.X.max() <= 1
    assert np.isfinite(data_set.y).all()


def test_every_recipe_reads_the_stand_in(data):
    for code in RECIPES:
        assert load(code, data).X.shape[1] == 3


def test_missing_data_say_what_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv(ENVIRONMENT_VARIABLE, raising=False)
    with pytest.raises(
        DataNotFoundError,
        match=f"Pass --data DIR or set {ENVIRONMENT_VARIABLE} to a folder with abalone",
    ):
        find_folder()
    assert main(["table", "--quick", "--data", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "lacks some of them" in capsys.readouterr().err


def test_noise_summed_over_people_has_the_distribution_of_the_sum():
    """Mean 0 and n times the variance, within 5 standard errors (false alarm below 1e-5)."""
    n, cells, epsilon, steps = 40, 20_000, 0.5, 64
    drawn = summed_noise(np.random.default_rng(0), n, cells, epsilon, steps)
    stated = n * DiscreteLaplace(epsilon, steps).variance(np.zeros(1, dtype=np.int64))[0]
    assert abs(drawn.mean()) < 5 * np.sqrt(stated / cells)
    assert abs(drawn.var() / stated - 1) < 5 * np.sqrt((2 + 3 / n) / cells)


def test_a_grid_point_does_not_depend_on_what_else_is_run():
    alone, among = Shape(2, 1, 2), [Shape(2, 1, 2), Shape(2, 3, 1), Shape(1, 2, 2)]
    one = evaluate(problem(), 2.0, [alone], shares=(0.5,))
    many = evaluate(problem(), 2.0, among, shares=(0.5, 0.7))
    assert one["max-edge", 0.5, alone] == many["max-edge", 0.5, alone]


@pytest.mark.parametrize("personal", [False, True])
def test_the_honest_score_of_cells_is_unbiased(personal):
    """Without its confidence term, over redrawn reports, it averages to the gain over the centre; |z| below 5."""
    n = 300
    mask = masks.heavy_tail(n, 5, 0.8) if personal else masks.first(n, 5, 2)
    given = problem(n, mask)

    def asked(seed):
        return cell_grid.Labels.ask(given, 6.0, 0.5, SeededSource(seed))

    first = asked(0)
    partition = first.grow(slice(None), Shape(2, 2, 2), "random", SeededSource(1))
    values, grid = np.linspace(0, 3, partition.n_cells), first.grid
    predictions, encoded = values[partition.cell(given.X)], grid.decode(grid.encode(given.y))
    truth = np.mean((predictions - encoded) ** 2 - (1.0 - encoded) ** 2)
    scores = []
    for seed in range(400):
        labels = asked(2 * seed)
        marks = labels.ask_cells(partition, SeededSource(2 * seed + 1))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("experiments.common.honest.STANDARD_ERRORS", 0.0)
            noisy = grid.decode(labels.sent)
            scores.append(cell_score(values, partition, given.enrolled, noisy, marks, labels.weights, 1.0))
    z = (np.mean(scores) - truth) / (np.std(scores, ddof=1) / np.sqrt(len(scores)))
    assert abs(z) < 5
    assert np.std(scores) > 0


def test_the_honest_score_prefers_the_better_predictor_and_certainty():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=5000)
    noisy = truth + rng.laplace(size=5000)
    assert label_score(truth, noisy, 0.0) < label_score(0.5 * truth, noisy, 0.0) < label_score(0 * truth, noisy, 0.0)
    assert label_score(0 * truth, noisy, 0.0) < label_score(-truth, noisy, 0.0)


def test_reported_figures_are_all_there():
    figures = reported()
    assert len(figures) == 360
    assert figures[2.0, "aligned", "ABA", "HistOfTree CART"] == 1.65


def run_table(data, out, *more):
    return main(
        ["table", "--splits", "1", "--epsilon", "2", "--data", str(data), "--out", str(out), "--workers", "1", *more]
    )


def test_tables_are_written(whole):
    page = (whole / "tables.md").read_text()
    for word in ("epsilon = 2, aligned", "epsilon = 2, personalized", "rank sum", "Honest", "mean", "(1.65)"):
        assert word in page
    table = load_summary(whole / "table.csv")
    cells = table[2.0, "aligned"]
    assert set(cells) == set(RECIPES)
    assert sum(rank_sums(cells, ["Hist", "KRR", "ParDT"]).values()) == pytest.approx(6 * len(RECIPES))


def test_a_killed_run_goes_on_with_any_number_of_workers_and_ends_with_the_same_bytes(data, whole, tmp_path):
    """The run is killed without warning after its first results; the same command, with two workers, finishes it.

    One of the two preferences; of the run without a stop its results are taken from the whole table.
    """
    half = ["--preference", "aligned"]
    command = [sys.executable, "-m", "experiments", "table", "--splits", "1", "--epsilon", "2", "--data", str(data)]
    command += ["--workers", "1", *half, "--out"]
    stopped = subprocess.Popen(
        [*command, str(tmp_path / "stopped")], cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True
    )
    deadline = time.monotonic() + 120
    while len(list((tmp_path / "stopped").glob("tasks/*.csv"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(stopped.pid, signal.SIGKILL)
    stopped.wait()
    kept = written(tmp_path / "stopped")
    assert 3 <= len(kept) < 10 * 6
    assert not (tmp_path / "stopped" / "table.csv").exists()
    assert run_table(data, tmp_path / "stopped", *half, "--workers", "2") == 0
    assert kept.items() <= written(tmp_path / "stopped").items()
    shutil.copytree(whole / "tasks", tmp_path / "whole" / "tasks")
    before = written(tmp_path / "whole")
    assert run_table(data, tmp_path / "whole", *half) == 0
    assert before == written(tmp_path / "whole")  # nothing was run again
    for name in ("table.csv", "tables.md", "summary.csv"):
        assert (tmp_path / "stopped" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def written(out):
    """When each file of results was written."""
    return {path.name: path.stat().st_mtime_ns for path in (out / "tasks").glob("*.csv")}


def test_a_method_and_a_data_set_take_one_file(tmp_path, data, whole):
    """What the table has is kept, so that the new method and the new data set alone are run."""
    (tmp_path / "toy.py").write_text(TOY)
    shutil.copytree(whole / "tasks", tmp_path / "out" / "tasks")
    kept = len(list((tmp_path / "out" / "tasks").iterdir()))
    with open(data / "toy.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "b", "y"])
        writer.writerows([i % 7, i % 5, i % 7 + i % 5] for i in range(60))
    options = ["table", "--splits", "1", "--epsilon", "2", "--data", str(data), "--out", str(tmp_path / "out")]
    command = [sys.executable, "-m", "experiments", *options, "--workers", "1", "--with", str(tmp_path / "toy.py")]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    with open(tmp_path / "out" / "table.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    new = len(RECIPES) + (6 + 1) + 6  # the method on the others; all on the new data, aligned and personalised
    assert len(list((tmp_path / "out" / "tasks").iterdir())) == kept + new
    toys = [row for row in rows if row["method"] == "Middle"]
    assert {(row["preference"], row["depth"]) for row in toys} == {("aligned", "1"), ("aligned", "2")}
    assert {row["data"] for row in toys} == {*RECIPES, "TOY"} == {row["data"] for row in rows}
    page = (tmp_path / "out" / "tables.md").read_text()
    aligned, personal = page.split("## epsilon = 2, personalized")
    assert "| Middle |" in aligned
    assert "Middle" not in personal
    assert "| TOY |" in personal


def test_all_runs_the_splits_of_beyond_once():
    studies = tasks_by_study(parse(["all"]))
    assert len(studies["table"]) == 50 * 10 * 3 * 2 * 6  # six methods
    shared = [task for task in studies["beyond"] if task.study == "table"]
    assert len(shared) == 20 * 10 * 5 * 2 * 6
    assert {task for task in shared if task.epsilon in (1, 2, 4)} < set(studies["table"])
    assert {task.n_people for task in studies["beyond-simulation"]} == {1000, 10_000, 100_000}
    assert len(tasks_by_study(parse(["beyond", "--splits", "30"]))["beyond"]) == 30 * 10 * 5 * 2 * (6 + 2)
    assert len(studies["hiding"]) == 20 * 10 * 5 * 3 * 3
    assert len(studies["functions"]) == 20 * len(FUNCTIONS) * 5 * 2


def test_beyond_has_the_rows_of_the_table_and_ours_on_the_same_splits(data, whole, tmp_path, monkeypatch):
    monkeypatch.setattr("experiments.run.studies.BEYOND_PEOPLE", (200, 400))
    monkeypatch.setattr("experiments.run.studies.QUICK_REPLICATIONS", 1)
    monkeypatch.setattr("experiments.run.studies.QUICK_FUNCTION_PEOPLE", 300)
    monkeypatch.setattr("experiments.run.studies.FUNCTIONS", list(FUNCTIONS)[:2])
    monkeypatch.setattr("experiments.run.studies.RECIPES", {code: RECIPES[code] for code in FEW})
    setting = ["--splits", "1", "--epsilon", "2", "--preference", "aligned", "--data", str(data), "--workers", "1"]
    command = ["beyond", "--quick", *setting, "--out", str(tmp_path / "one")]
    assert main(command) == 0
    head, *rows = (tmp_path / "one" / "beyond.csv").read_text().splitlines()
    same_head, *table = (whole / "table.csv").read_text().splitlines()
    assert head == same_head
    same = [row for row in table if ",aligned," in row and row.split(",")[head.split(",").index("data")] in FEW]
    assert [row for row in rows if row.startswith("table,")] == same != []
    for cell in load_summary(tmp_path / "one" / "beyond.csv")[2.0, "aligned"].values():
        assert {SEMI_PRIVATE, JOINT, PRIVATE_MEAN, BOUNDED_MEAN, "DT", "HistOfTree CART", "KRR"} <= set(cell.results)
    page = (tmp_path / "one" / "beyond.md").read_text(encoding="utf-8")
    for word in ("ε = 2, aligned, 1 splits", "above the private mean", "| 2 | 400 |"):
        assert word in page
    for word in ("of 30", "n = 10,000", "nan"):  # not run
        assert word not in page
    before = {path.name: path.read_bytes() for path in (tmp_path / "one").glob("beyond*")}
    assert main(command) == 0
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "one").glob("beyond*")}


def test_our_estimators_learn_from_private_features_and_need_no_noise():
    given, task = problem(4000, masks.first(4000, 5, 2)), Task("beyond-simulation", 0, 0, 8.0)
    errors = {row.method: row.error for row in semi_private(given, task)}
    assert max(errors[ALL_PUBLIC], errors[SEMI_PRIVATE]) < errors[WITHOUT_PRIVATE] / 2
    model = SemiPrivateRegressor(8.0, random_state=given.random_state, **BOUNDS).fit(given.X, given.y, mask=given.mask)
    assert given.error(model.predict(given.X_test)) == errors[SEMI_PRIVATE]
    assert joint(problem(400), Task("trade-off", 0, 0, 1024.0)) == joint(problem(400), Task("trade-off", 0, 0, 64.0))
