"""The example of another back end gives the model of one process, where its engine is installed."""

from __future__ import annotations

import pytest

pytest.importorskip("ray", reason="the second engine is not installed: pip install ray")
import ray

from examples.ray_backend import Ray
from semildp.stored import fit_reports
from tests.parts import Numbers, summed
from tests.programs.studies import Case
from tests.stored_files import simulated, written


@pytest.fixture(scope="module", autouse=True)
def engine():
    """Two workers on this machine that stop with the tests."""
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.mark.filterwarnings("ignore")
def test_another_engine_gives_the_same_sums_and_the_same_model(tmp_path):
    told = []
    assert Ray().fold(summed, [Numbers((k, k)) for k in range(10)], told.append).value.tolist() == [90]
    assert sum(told) == 20
    for case in (Case("hist-of-tree", "both", "personal"), Case("hist-of-tree-joint", "split", "aligned")):
        reports = written(case, tmp_path / case.name, people=40)
        assert fit_reports(reports, Ray()).to_json() == simulated(case).model.to_json()
