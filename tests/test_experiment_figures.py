"""The figures draw the right numbers, always the same way, and say of each claim whether it holds."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from experiments.common.names import JOINT
from experiments.show import claims, figures
from experiments.show.figure_data import best, consistency_curves, load, trade_off_curves
from experiments.show.figure_slopes import fit_slope, lower_bound, measured_slope, upper_bound
from experiments.show.figure_trade_off import places
from tests.figure_rows import consistency_rows, parameters_rows, selection_rows, trade_off_rows, write_rows

ROWS = {
    "trade-off": trade_off_rows,
    "consistency": consistency_rows,
    "parameters": parameters_rows,
    "selection": selection_rows,
}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Write every figure."""
    out = tmp_path_factory.mktemp("figures")
    return {name: figures.write(name, write_rows(out / f"{name}.csv", rows()), out) for name, rows in ROWS.items()}


def judged(tmp_path, judge, rows):
    return [claim.holds for claim in judge(load(write_rows(tmp_path / "rows.csv", rows)))]


@pytest.mark.parametrize("name", ROWS)
def test_files_are_written(written, name):
    assert [path.name for path in written[name]] == [f"{name}.png", f"{name}.svg", f"{name}.md"]
    assert all(path.stat().st_size > 500 for path in written[name])
    assert "dc:date" not in written[name][1].read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["parameters", "selection"])
def test_a_rerun_gives_the_same_bytes(written, name, tmp_path):
    source = written[name][0].with_suffix(".csv")
    for first, second in zip(written[name], figures.write(name, source, tmp_path), strict=True):
        assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("name", ROWS)
def test_page_has_numbers_and_claims(written, name):
    page = written[name][2].read_text(encoding="utf-8")
    assert " ± " in page
    assert "nan" not in page
    assert "- holds: " in page
    assert "does not hold" not in page


def test_a_single_replication_is_drawn_without_standard_errors(tmp_path):
    results = load(write_rows(tmp_path / "rows.csv", consistency_rows(), replications=[1]))
    kind = figures.KINDS["consistency"]
    assert kind.draw(results).subfigs
    assert "nan" not in kind.text(results)
    assert all(claim.holds and "nan" not in claim.evidence for claim in kind.judge(results))


def test_no_rows_is_said_to_be_the_problem(tmp_path):
    with pytest.raises(ValueError, match="has no rows"):
        load(write_rows(tmp_path / "rows.csv", []))


def test_best_grid_point_is_that_of_the_lowest_mean_not_of_the_lowest_error(tmp_path):
    setting = {"study": "consistency", "epsilon": 4.0, "n_people": 1000, "n_private": 1, "method": "HistOfTree ME"}
    lucky_once = {**setting, "s": 1, "depth": 1, "error": 3.0, "wobble": 0.9}  # 0.3, 3.0, 5.7
    steady = {**setting, "s": 1, "depth": 2, "error": 2.0, "wobble": 0.1}  # 1.8, 2.0, 2.2
    chosen = best(load(write_rows(tmp_path / "rows.csv", [lucky_once, steady])))
    assert dict(chosen.point) == {"s": "1", "depth": "2"}
    assert chosen.mean == pytest.approx(2.0)
    assert chosen.standard_error == pytest.approx(0.2 / math.sqrt(3))


def test_trade_off_lines_are_the_methods_of_the_paper(tmp_path):
    curves = trade_off_curves(load(write_rows(tmp_path / "rows.csv", trade_off_rows())))
    assert list(curves) == [0, 1, 2, 3, 4, 5, JOINT, "mean"]
    assert curves[JOINT].mean == pytest.approx([0.03 / epsilon for epsilon in (0.5, 4, 1024)])
    assert curves[0].mean == pytest.approx([0.1 / epsilon for epsilon in (0.5, 4, 1024)])
    assert curves[4].mean == pytest.approx([0.5 / epsilon for epsilon in (0.5, 4, 1024)])
    assert places((0.5, 1, 16, 1024)) == [-1, 0, 4, 5.5]


@pytest.mark.parametrize("name", ROWS)
def test_a_method_that_was_added_does_not_get_into_the_papers_lines(tmp_path, name):
    rows = list(ROWS[name]())
    added = [{**row, "method": "added", "error": 1e-9} for row in rows if row["method"] == "HistOfTree ME"]
    kind = figures.KINDS[name]
    alone = load(write_rows(tmp_path / "alone.csv", [dict(row) for row in rows]))
    among = load(write_rows(tmp_path / "among.csv", [*(dict(row) for row in rows), *added]))
    assert kind.text(among) == kind.text(alone)


def test_slope_of_a_power_law_is_its_exponent_from_the_larger_half(tmp_path):
    rows = consistency_rows(lambda n, private: 3 * n**-0.4 if n >= 4000 else 1.0)
    curves = consistency_curves(load(write_rows(tmp_path / "rows.csv", rows)))
    for curve in curves.values():
        assert measured_slope(curve).value == pytest.approx(-0.4)
        assert measured_slope(curve).standard_error == pytest.approx(0.001 / math.sqrt(3) / math.log(4) * math.sqrt(2))


def test_slope_has_the_spread_it_claims():
    """False-alarm rate below 1e-6: the spread of 4000 slopes is known to 1.1 %."""
    n, rng = np.array([1000.0, 2000.0, 4000.0, 8000.0]), np.random.default_rng(0)
    relative = np.array([0.01, 0.02, 0.03, 0.04])
    exact = n**-0.3
    slopes = [fit_slope(n, exact * (1 + relative * rng.normal(size=4))).value for _ in range(4000)]
    assert np.std(slopes) == pytest.approx(fit_slope(n, exact, exact * relative).standard_error, rel=0.06)


def test_bounds_have_the_theorems_exponents_in_the_end():
    n = (1e60, 1e61)
    for private in (1, 4):
        limit = -2 / (7 + private)
        assert fit_slope(n, lower_bound(n, 4.0, private)).value == pytest.approx(limit)
        assert fit_slope(n, upper_bound(n, 4.0, private)).value == pytest.approx(limit, rel=0.01)


def test_trade_off_claims(tmp_path):
    def judge(error):
        return judged(tmp_path, claims.trade_off_claims, trade_off_rows(error))

    assert judge(lambda epsilon, private: (1 + private) / epsilon) == [True, True]
    assert judge(lambda epsilon, private: (1 + private) * epsilon) == [False, True]
    assert judge(lambda epsilon, private: (6 - private) / epsilon) == [True, False]
    assert judge(lambda epsilon, private: 1.0) == [False, False]


def test_a_rise_within_noise_does_not_refute(tmp_path):
    def rows(rise, wobble):
        for row in trade_off_rows(lambda epsilon, private: (1 + private) / epsilon):
            if row["n_private"] == 2 and row["epsilon"] == 4.0:
                row = {**row, "error": row["error"] * rise, "wobble": wobble}
            yield row

    assert judged(tmp_path, claims.trade_off_claims, rows(1.4, 0.001)) == [True, False]
    assert judged(tmp_path, claims.trade_off_claims, rows(1.4, 0.5)) == [True, True]
    claim = claims.trade_off_claims(load(write_rows(tmp_path / "rows.csv", rows(1.4, 0.001))))[1]
    assert "15; of these 14 fall, 0 do not but are level within 2 standard errors, 1 rise by more" in claim.evidence
    assert "ε 4, 3 to 2 private features" in claim.evidence


def test_consistency_claims(tmp_path):
    def judge(error):
        return judged(tmp_path, claims.consistency_claims, consistency_rows(error))

    assert judge(lambda n, private: n ** (-0.5 / private)) == [True, True]
    assert judge(lambda n, private: n ** (-0.1 * private)) == [True, False]
    assert judge(lambda n, private: n**-0.3) == [True, False]
    assert judge(lambda n, private: n ** (0.1 * private)) == [False, True]


def test_parameters_claims(tmp_path):
    def judge(*shape):
        return judged(tmp_path, claims.parameters_claims, parameters_rows(*shape))

    assert judge() == [True, True, True]
    assert judge(lambda bins: 6 - bins) == [True, False, True]
    assert judge(lambda bins: 3) == [True, False, True]
    assert judge(lambda bins: bins - 1) == [False, True, True]  # lowest at the left end for one bin
    assert judge(lambda bins: 1 + bins, lambda bins: bins) == [True, True, False]


def test_selection_claims(tmp_path):
    def judge(**changes):
        return judged(tmp_path, claims.selection_claims, selection_rows(**changes))

    assert judge() == [True, True, True, True]
    assert judge(excess=0.2) == [False, True, True, True]
    assert judge(best_s=lambda gamma: 2) == [True, True, False, True]
    assert judge(best_s=lambda gamma: 3) == [True, True, False, False]
    assert judge(error=lambda gamma: gamma) == [True, False, True, True]


def test_rank_sum_claims():
    good = {"HistOfTree ME": 20, "HistOfTree CART": 15, "AdHistOfTree ME": 60, "ParDT": 28, "Hist": 45, "KRR": 43}
    summary = {
        (1.0, "aligned"): good,
        (2.0, "aligned"): {**good, "ParDT": 18},
        (4.0, "aligned"): {**good, "ParDT": 1},
    }
    judgement = claims.rank_sum_claims(summary)
    assert [claim.holds for claim in judgement] == [True, False]
    assert "ε = 2, aligned" in judgement[1].text
    assert "ParDT 18" in judgement[1].evidence
    assert "**does not hold**: ε = 2" in claims.to_markdown(judgement)
