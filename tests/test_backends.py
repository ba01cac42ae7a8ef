"""Every back end adds up the same: one after the other, in threads, and on a cluster of processes that may die."""

from __future__ import annotations

import os
from dataclasses import fields, is_dataclass

import msgspec
import numpy as np
import pytest

pytest.importorskip("distributed", reason="needs the extra `dask`: pip install 'semildp[dask]'")
import dask
from distributed import Client, LocalCluster

from semildp import cli
from semildp.backends import Serial, Threads
from semildp.backends.dask import WAYS, Dask
from semildp.curator import JointTotals, Tally, Totals
from semildp.curator.tallies import HistogramTotals
from semildp.errors import InputError
from semildp.simulate_files import RawRows, simulate_files
from semildp.stored import fit_parts, fit_reports
from tests.parts import Deadly, Held, Numbers, Refused, itself, summed
from tests.programs.studies import Case
from tests.stored_files import simulated, written

pytestmark = pytest.mark.xdist_group("cluster")  # one cluster for all of them
PARTS = [Numbers(tuple(range(k, k + 10))) for k in range(3 * WAYS * WAYS // 4)]  # two levels above the parts
EDGE = 2**62
HIST, JOINT = Case("hist-of-tree", "both", "personal"), Case("hist-of-tree-joint", "split", "personal")


@pytest.fixture(scope="module")
def cluster():
    """Two processes that stop with the tests."""
    with (
        LocalCluster(
            2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=60
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(params=["serial", "threads", "dask"])
def backend(request):
    made = {"serial": Serial, "threads": lambda: Threads(3), "dask": lambda: Dask(request.getfixturevalue("cluster"))}
    return made[request.param]()


def test_sums_and_progress(backend):
    told = []
    total = backend.fold(summed, PARTS, told.append)
    assert total.value.tolist() == [sum(sum(part.numbers) for part in PARTS)]
    assert sum(told) == sum(map(len, PARTS))
    assert len(told) > 1
    assert backend.fold(summed, [Numbers(())]).value.tolist() == [0]


def test_sums_at_the_edge_of_64_bits_are_right_or_refused(backend):
    halves = [Numbers((EDGE // 4,)) for _ in range(3)]
    assert backend.fold(summed, [*halves, Numbers((EDGE // 4 - 2**12,))]).value.tolist() == [EDGE - 2**12]
    with pytest.raises(InputError, match=r"below 2\*\*62"):
        backend.fold(summed, [*halves, Numbers((EDGE // 4,))])
    with pytest.raises(InputError, match=r"below 2\*\*62"):
        backend.fold(summed, [*(Numbers((-(EDGE // 16),)) for _ in range(16)), Numbers((0,))])


def full(kind, value):
    """Return totals of a kind whose every sum is `value`."""
    cells = np.full(3, value, dtype=np.int64)
    if kind is Totals:
        return Totals(1, value, Tally(*[cells] * 4), Tally(*[cells] * 4), cells)
    return JointTotals(*[cells] * 4) if kind is JointTotals else HistogramTotals(1, np.stack([cells, cells]))


@pytest.mark.parametrize("kind", [Totals, JointTotals, HistogramTotals])
def test_totals_of_reports_at_the_edge_are_right_or_refused(kind, backend):
    quarter = EDGE // 4
    parts = [Held(full(kind, quarter)) for _ in range(3)]
    right = backend.fold(itself, [*parts, Held(full(kind, quarter - 2**12))])
    assert numbers(right) == numbers(full(kind, EDGE - 2**12))
    with pytest.raises(InputError, match=r"below 2\*\*62"):
        backend.fold(itself, [*parts, Held(full(kind, quarter))])


def numbers(totals):
    """Return the sums of totals, field by field, as plain numbers; without how many people there were."""
    values = [getattr(totals, field.name) for field in fields(totals) if field.name != "n_people"]
    return [numbers(value) if is_dataclass(value) else np.ravel(value).tolist() for value in values]


def test_a_part_that_is_refused_ends_the_scan_with_its_sentence(backend):
    with pytest.raises(InputError, match="This part must be good"):
        backend.fold(summed, [*PARTS, Refused(), *PARTS])


@pytest.mark.parametrize("case", [HIST, JOINT], ids=lambda case: case.name)
def test_a_cluster_gives_the_model_of_one_process(case, cluster, tmp_path):
    reports = written(case, tmp_path, people=15)
    assert len(reports.parts) == 8
    assert fit_reports(reports, Dask(cluster)).to_json() == simulated(case).model.to_json()


def test_the_command_line_reaches_a_cluster(cluster, tmp_path):
    reports = written(HIST, tmp_path / "reports", people=40)
    study, out = tmp_path / "study.json", tmp_path / "model.json"
    study.write_bytes(HIST.study.to_json())
    files = [part.path for part in reports.parts]
    where = ["--backend", "dask", "--scheduler", cluster.scheduler.address]
    assert cli.main(["fit", *files, "--study", str(study), "--out", str(out), *where]) == 0
    assert out.read_bytes() == simulated(HIST).model.to_json()


@pytest.mark.parametrize("address", ["nonsense://x", "tcp://127.0.0.1:1"])
def test_without_a_scheduler_there_is_a_sentence(address):
    with dask.config.set({"distributed.comm.timeouts.connect": "200ms"}), pytest.raises(InputError, match="scheduler"):
        Dask(address).fold(summed, PARTS)


def test_a_worker_that_is_killed_changes_nothing(cluster, tmp_path):
    reports, flag = written(HIST, tmp_path / "reports", people=30), tmp_path / "killed"
    parts = [reports.parts[0], Deadly(reports.parts[1], str(flag)), *reports.parts[2:]]
    workers = set(cluster.run(os.getpid).values())
    model = fit_parts(reports.header, parts, Dask(cluster))
    assert int(flag.read_text()) in workers
    assert model.to_json() == simulated(HIST).model.to_json()


def test_partitions_of_a_frame_are_parts(cluster, tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    from semildp.stored.frames import fit_frame

    reports = written(JOINT, tmp_path, people=40)
    frame = dd.read_parquet(str(tmp_path / "*.parquet"))
    assert fit_frame(reports.header, frame, Dask(cluster)).to_json() == simulated(JOINT).model.to_json()


def test_simulated_people_answer_on_a_cluster(cluster, tmp_path):
    study = msgspec.structs.replace(HIST.study, settings={"depth": 2, "bins": 2, "n_histogram_features": 2})
    X, y, mask = HIST.people()
    parts = [RawRows(X[k::3], y[k::3], mask[k::3], 20) for k in range(3)]
    one, two = (
        simulate_files(study, parts, tmp_path / type(where).__name__, seed=1, backend=where)
        for where in (Serial(), Dask(cluster))
    )
    assert one.to_json() == two.to_json()


def test_threads_stop_after_a_failure():
    read = []

    class Counted(Numbers):
        def __iter__(self):
            read.append(1)
            yield from super().__iter__()

    with pytest.raises(InputError):
        Threads(2).fold(summed, [Refused(), *(Counted((1,)) for _ in range(100))])
    assert len(read) < 10


@pytest.mark.parametrize("n_threads", [0, -1, 1.5])
def test_threads_are_counted(n_threads):
    with pytest.raises(InputError, match="n_threads"):
        Threads(n_threads)
