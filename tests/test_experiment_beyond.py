"""The page of `beyond` has the right numbers, and says of each statement whether it holds."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from experiments.common.names import BOUNDED_MEAN, FIRST_WAVE, JOINT, PRIVATE_MEAN, SEMI_PRIVATE
from experiments.run.studies import RECIPES
from experiments.show import claims_beyond, tables_beyond
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
        errors = {JOINT: 0.1, FIRST_WAVE: 0.125, PRIVATE_MEAN: 0.2, BOUNDED_MEAN: 0.18 if n > 1000 else 0.21}
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
