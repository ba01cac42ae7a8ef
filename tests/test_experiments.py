"""The experiments: data, shared work that changes no distribution, runs that go on where they stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from experiments import trees
from experiments.__main__ import main, parse, tasks_by_study
from experiments.datasets import ENVIRONMENT_VARIABLE, RECIPES, DataNotFoundError, find_folder, load
from experiments.hist_of_tree import evaluate
from experiments.histogram import summed_noise
from experiments.honest import cell_score, label_score
from experiments.ours import BOUNDED_MEAN, FIRST_ROUND, JOINT, PRIVATE_MEAN, SEMI_PRIVATE, joint, semi_private
from experiments.problem import Problem
from experiments.summary import load as load_summary
from experiments.summary import rank_sums, reported
from semildp import masks
from semildp.budgets import Budget
from semildp.client import report_cells, report_labels
from semildp.curator import grow_partition
from semildp.domains import FeatureBounds, LabelGrid
from semildp.mechanisms import DiscreteLaplace, GeneralisedResponse
from semildp.partition import Shape
from semildp.sources import SeededSource
from semildp.wire import Study
from tests.people import BOUNDS, simulate
from tests.standin import write_standin

SHARED = Path(__file__).parents[2] / "shared" / "data"
ROOT = Path(__file__).parents[1]


def problem(n=400, mask=None):
    X, y, _ = simulate(n)
    fresh, _, truth = simulate(200, seed=7)
    chosen = masks.first(n, 5, 2) if mask is None else mask
    return Problem(X, y, fresh, truth, chosen, BOUNDS["label_bounds"], np.random.SeedSequence(0))


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    return write_standin(folder)


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
        DataNotFoundError, match=f"Pass --data DIR or set {ENVIRONMENT_VARIABLE} to a folder with abalone"
    ):
        find_folder()
    assert main(["table", "--quick", "--data", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "lacks some of them" in capsys.readouterr().err


def test_all_depths_of_one_tree_are_the_trees_of_those_depths():
    X, y, _ = simulate(500)
    X = np.where(np.random.default_rng(0).uniform(size=X.shape) < 0.2, np.nan, X)
    deep = DecisionTreeRegressor(max_depth=8, min_samples_leaf=10, random_state=0).fit(X, y)
    for depth, cut in zip(trees.DEPTHS, trees.predict_by_depth(deep, X), strict=True):
        grown = DecisionTreeRegressor(max_depth=depth, min_samples_leaf=10, random_state=0).fit(X, y)
        np.testing.assert_allclose(cut, grown.predict(X), rtol=1e-12)


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
    X, y, _ = simulate(n)
    mask = masks.heavy_tail(n, 5, 0.8) if personal else masks.first(n, 5, 2)
    grid = LabelGrid(*BOUNDS["label_bounds"], 1024)
    study = Study(FeatureBounds((0.0,) * 5, (1.0,) * 5), grid, Budget(6.0))
    labels = report_labels(study, X, y, mask, SeededSource(0))
    partition = grow_partition(study, labels, Shape(2, 2, 2), "random", SeededSource(1))
    values = np.linspace(0, 3, partition.n_cells)
    weights = GeneralisedResponse.weights(study.budget.cell)
    predictions, encoded = values[partition.cell(X)], grid.decode(grid.encode(y))
    truth = np.mean((predictions - encoded) ** 2 - (1.0 - encoded) ** 2)
    scores = []
    for seed in range(400):
        labels = report_labels(study, X, y, mask, SeededSource(2 * seed))
        reports = report_cells(study, partition, X, mask, SeededSource(2 * seed + 1))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("experiments.honest.STANDARD_ERRORS", 0.0)
            scores.append(cell_score(values, partition, labels, reports, weights, grid, 1.0))
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


def test_results_do_not_depend_on_workers_and_tables_are_written(data, tmp_path):
    assert run_table(data, tmp_path / "one") == 0
    assert run_table(data, tmp_path / "two", "--workers", "2") == 0
    for name in ("table.csv", "tables.md", "summary.csv"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    page = (tmp_path / "one" / "tables.md").read_text()
    for word in ("epsilon = 2, aligned", "epsilon = 2, personalized", "rank sum", "Honest", "mean", "(1.65)"):
        assert word in page
    table = load_summary(tmp_path / "one" / "table.csv")
    cells = table[2.0, "aligned"]
    assert set(cells) == set(RECIPES)
    assert sum(rank_sums(cells, ["Hist", "KRR", "ParDT"]).values()) == pytest.approx(6 * len(RECIPES))


def test_a_killed_run_goes_on_and_ends_with_the_same_bytes(data, tmp_path):
    """The run is killed without warning after its first results; the same command finishes it."""
    command = [sys.executable, "-m", "experiments", "table", "--splits", "1", "--epsilon", "2", "--data", str(data)]
    command += ["--workers", "1", "--out"]
    stopped = subprocess.Popen(
        [*command, str(tmp_path / "stopped")], cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True
    )
    deadline = time.monotonic() + 120
    while len(list((tmp_path / "stopped").glob("tasks-*/*.csv"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(stopped.pid, signal.SIGKILL)
    stopped.wait()
    finished = len(list((tmp_path / "stopped").glob("tasks-*/*.csv")))
    assert 3 <= finished < 20
    assert not (tmp_path / "stopped" / "table.csv").exists()
    assert run_table(data, tmp_path / "stopped") == 0
    assert run_table(data, tmp_path / "whole") == 0
    for name in ("table.csv", "tables.md", "summary.csv"):
        assert (tmp_path / "stopped" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_all_runs_the_splits_of_beyond_once():
    studies = tasks_by_study(parse(["all"]))
    assert len(studies["table"]) == 50 * 10 * 3 * 2
    shared = [task for task in studies["beyond"] if task.study == "table"]
    assert len(shared) == 20 * 10 * 3 * 2
    assert set(shared) < set(studies["table"])
    assert {task.n_people for task in studies["beyond-simulation"]} == {1000, 10_000, 100_000}
    assert len(tasks_by_study(parse(["beyond", "--splits", "30"]))["beyond"]) == 2 * 30 * 10 * 3 * 2


def test_beyond_has_the_rows_of_the_table_and_ours_on_the_same_splits(data, tmp_path, monkeypatch):
    monkeypatch.setattr("experiments.studies.BEYOND_PEOPLE", (200, 400))
    setting = ["--splits", "1", "--epsilon", "2", "--preference", "aligned", "--data", str(data), "--workers", "2"]
    command = ["beyond", "--quick", *setting, "--out", str(tmp_path / "one")]
    assert main(command) == 0
    assert main(["table", *setting, "--out", str(tmp_path / "two")]) == 0
    head, *rows = (tmp_path / "one" / "beyond.csv").read_text().splitlines()
    assert [head, *(row for row in rows if row.startswith("table,"))] == (
        (tmp_path / "two" / "table.csv").read_text().splitlines()
    )
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
    mask = masks.first(4000, 5, 2)
    errors = {row.method: row.error for row in semi_private(problem(4000, mask), 8.0)}
    assert errors[SEMI_PRIVATE] < errors[FIRST_ROUND]
    assert joint(problem(400), 1024.0) == joint(problem(400), 64.0)
