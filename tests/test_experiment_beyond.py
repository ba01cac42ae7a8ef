"""The page of `beyond` has the right numbers, and says of each statement whether it holds."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from experiments.common import hiding
from experiments.common.functions import FUNCTIONS, function_problem
from experiments.common.names import ALL_PUBLIC, BOUNDED_MEAN, JOINT, PRIVATE_MEAN, SEMI_PRIVATE, WITHOUT_PRIVATE
from experiments.common.task import Task
from experiments.run.studies import RECIPES
from experiments.show import claims_beyond, tables_beyond, tables_hiding
from experiments.show.figure_data import load
from experiments.show.summary import load as load_summary
from experiments.show.summary_beyond import simulation_curves
from tests.figure_rows import write_rows


def beyond_rows(ours=lambda epsilon, data: 0.8, epsilons=(1.0, 2.0, 4.0)):
    for epsilon, data in product(epsilons, RECIPES):
        setting = {"study": "beyond", "epsilon": epsilon, "data": data, "preference": "aligned"}
        errors = {"DT": 0.5, "ParDT": 2 / epsilon, "Hist": 9, JOINT: 1, PRIVATE_MEAN: 3, BOUNDED_MEAN: 2}
        for method, error in {**errors, SEMI_PRIVATE: ours(epsilon, data) / epsilon}.items():
            yield {**setting, "method": method, "error": error}


def simulation_rows(ours=lambda n, epsilon: 20 / n, people=(1000, 10_000, 100_000), epsilons=(1.0, 2.0, 4.0)):
    for n, epsilon in product(people, epsilons):
        setting = {"study": "beyond-simulation", "epsilon": epsilon, "n_people": n, "n_private": 2}
        errors = {JOINT: 0.1, WITHOUT_PRIVATE: 0.125, ALL_PUBLIC: 0.01, PRIVATE_MEAN: 0.2}
        errors[BOUNDED_MEAN] = 0.18 if n > 1000 else 0.21
        for method, error in {**errors, SEMI_PRIVATE: ours(n, epsilon)}.items():
            yield {**setting, "method": method, "error": error}
        for depth in (1, 2):
            yield {**setting, "method": "HistOfTree ME", "s": 2, "depth": depth, "error": 0.15 * depth}


def test_beyond_writes_a_page_and_a_figure(tmp_path):
    rows = write_rows(tmp_path / "beyond.csv", beyond_rows())
    simulated = write_rows(tmp_path / "beyond-simulation.csv", simulation_rows())
    assert [path.name for path in tables_beyond.write(rows, tmp_path)] == ["beyond.png", "beyond.svg", "beyond.md"]
    page = (tmp_path / "beyond.md").read_text(encoding="utf-8")
    assert "| ABA | **0.80** | 2.00 | 4.00 | 2.00 (ParDT) | 1.00 (ParDT) | -80.0 % |" in page
    assert "does not hold" not in page
    curves = simulation_curves(load(simulated), 1.0)
    assert curves[PRIVATE_MEAN].mean == pytest.approx([0.2, 0.18, 0.18])  # the lower of the two kinds at each n
    assert curves["HistOfTree ME"].mean == pytest.approx([0.15] * 3)


def test_statements_on_real_data(tmp_path):
    def judge(*rows):
        return claims_beyond.real_data_claims(load_summary(write_rows(tmp_path / "rows.csv", beyond_rows(*rows))))

    assert [claim.holds for claim in judge()] == [True, True, True]
    lost = judge(lambda epsilon, data: 2.2 if data in ("ABA", "AQU") and epsilon < 4 else 0.8)
    assert [claim.holds for claim in lost] == [False, True, False]
    assert "So in 26; not in ε = 1, ABA (4.40 against 4.00, ParDT); ε = 1, AQU" in lost[0].evidence
    assert "ε = 1, ABA: +10.0%" in lost[2].evidence
    assert not judge(lambda epsilon, data: 1.5)[1].holds
    assert len(judge(lambda epsilon, data: 0.8, (1.0, 2.0))) == 1  # the others are about settings that were not run


def test_statements_on_the_simulation(tmp_path):
    def judge(*rows):
        found = claims_beyond.simulation_claims(load(write_rows(tmp_path / "rows.csv", simulation_rows(*rows))))
        return [claim.holds for claim in found]

    assert judge() == [True] * 9
    assert judge(lambda n, epsilon: 0.05) == [True, True, False, True, False, False, True, True, True]
    assert judge(lambda n, epsilon: 0.124)[-3:] == [False] * 3
    assert judge(lambda n, epsilon: 0.01, (1000, 10_000), (2.0,)) == [True]
    middles = (np.arange(1000) + 0.5) / 1000
    assert pytest.approx(2 * np.var(np.sin(middles)), abs=1e-6) == claims_beyond.PUBLIC_ONLY


def test_hiding_and_functions_have_sections(tmp_path):
    """The strongest features are hidden; functions are told in shares of their variance."""
    errors = {"DT": 0.5, SEMI_PRIVATE: 0.75, WITHOUT_PRIVATE: 1.0, ALL_PUBLIC: 0.55, PRIVATE_MEAN: 3, BOUNDED_MEAN: 2}
    setting = {"study": "hiding", "epsilon": 2.0, "data": "ABA", "preference": "two strongest"}
    write_rows(tmp_path / "hiding.csv", [{**setting, "method": m, "error": e} for m, e in errors.items()])
    setting = {"study": "functions", "epsilon": 2.0, "data": "private, U-shaped", "n_people": 2000}
    write_rows(tmp_path / "functions.csv", [{**setting, "method": m, "error": e} for m, e in errors.items()])
    text = "\n".join(tables_hiding.sections(tmp_path))
    assert "### ε = 2, two strongest" in text
    assert "| ABA | 1.50 | 2.00 | 1.10 | 4.00 |" in text
    assert "| private, U-shaped | 2 | 0.750 | 1.000 | 0.550 | 2.000 |" in text
    assert tables_hiding.sections(tmp_path / "elsewhere") == []
    assert tables_hiding.METHODS == (SEMI_PRIVATE, WITHOUT_PRIVATE, ALL_PUBLIC)


def test_the_strongest_features_are_hidden():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(500, 5))
    X[:, 3] = 0.5
    y = X[:, 4] - 2 * X[:, 1] + 0.3 * X[:, 0]
    assert hiding.strongest(X, y)[:3] == [1, 4, 0]
    assert hiding.strongest(X, y)[-1] == 3
    hidden = {kind: np.flatnonzero(hiding.hiding_mask(kind, X, y, 500).all(axis=0)).tolist() for kind in hiding.HIDING}
    assert hidden == {"two strongest": [1, 4], "strongest half": [0, 1, 4], "everything": [0, 1, 2, 3, 4]}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_vary_and_stay_within_their_bounds(name):
    drawn = function_problem(Task("functions", 0, 0, 2.0, data=name, n_people=300))
    assert drawn.y_test.var() == pytest.approx(1.0)
    assert drawn.label_bounds[0] <= drawn.y.min() < drawn.y.max() <= drawn.label_bounds[1]
    assert drawn.mask.all(axis=0).tolist() == [True, True, False, False, False]
    again = function_problem(Task("functions", 0, 0, 4.0, data=name, n_people=300))
    assert again.X.tobytes() == drawn.X.tobytes()
