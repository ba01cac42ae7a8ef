"""Disks that fill up, databases that go away and come back, clocks that jump: clear refusals, nothing lost."""

from __future__ import annotations

import time
from pathlib import Path

from tests.service.crowd import Crowd, Crowded
from tests.service.serving import Reply, Server, serving, write_study
from tests.service.stores import Cluster

CASE = Crowded("hist-of-tree", "both", "aligned", 300)


def start_asking(server: Server, crowd: Crowd) -> list[bytes]:
    """Enrol everybody; return everybody's report to the first wave."""
    everybody = range(CASE.n_people)
    crowd.enrol(server, everybody)
    server.until(1)
    return crowd.reports(everybody, crowd.questions(server, everybody), crowd.sources["label"])


def put(server: Server, crowd: Crowd, person: int, report: bytes) -> Reply:
    return server.ask("PUT", "/api/reports/1", report, crowd.tokens[person])


def test_a_full_disk_is_a_refusal_and_then_everything_goes_on(tmp_path: Path):
    pages, url = tmp_path / "pages", f"sqlite:///{tmp_path / 'study.sqlite'}"
    pages.write_text("100000")
    study = write_study(tmp_path, CASE.study, people=CASE.n_people, access="open", visits="enrol-first")
    crowd = Crowd(CASE)
    with serving(study, url, tmp_path / "log", seed=7, max_pages=str(pages)) as server:
        reports = start_asking(server, crowd)
        kept = {i for i in range(50) if put(server, crowd, i, reports[i]).status == 201}
        assert len(kept) == 50
        pages.write_text("1")  # SQLite takes the present size if that is larger: it cannot grow
        refused = []
        for i in range(50, 290):
            reply = put(server, crowd, i, reports[i])
            (kept.add if reply.status == 201 else refused.append)(i)
            assert reply.status == 201 or (reply.status, reply.problem) == (503, "store-unavailable")
        assert refused
        assert server.ask("GET", "/health").status == 200
        assert server.status()["waves"][-1]["received"] == len(kept)
        pages.write_text("100000")
        assert all(put(server, crowd, i, reports[i]).status == 201 for i in refused)
        assert all(put(server, crowd, i, reports[i]).status == 200 for i in kept)
        assert server.status()["waves"][-1]["received"] == 290


def test_a_database_that_goes_away_and_comes_back(postgres: Cluster, tmp_path: Path):
    study = write_study(tmp_path, CASE.study, people=CASE.n_people, access="open", visits="enrol-first")
    crowd = Crowd(CASE)
    with serving(study, postgres.database(), tmp_path / "log", seed=7) as server:
        reports = start_asking(server, crowd)
        assert all(put(server, crowd, i, reports[i]).status == 201 for i in range(50))
        postgres.stop()
        try:
            for i in (0, 60):
                reply = put(server, crowd, i, reports[i])
                assert (reply.status, reply.problem) == (503, "store-unavailable")
                assert int(reply.headers["retry-after"]) > 0
            assert server.ask("GET", "/health").problem == "store-unavailable"
            assert server.ask("GET", "/api/question", None, crowd.tokens[70]).problem == "store-unavailable"
            assert server.curator("GET", "status").problem == "store-unavailable"
            assert server.ask("GET", "/api/study").status == 200
        finally:
            postgres.start()
        assert all(put(server, crowd, i, reports[i]).status == 200 for i in range(50))
        assert all(put(server, crowd, i, reports[i]).status == 201 for i in range(50, CASE.n_people))
        assert server.until(2)["waves"][1]["received"] == CASE.n_people


def test_a_clock_that_jumps_loses_nothing_and_doubles_nothing(url: str, tmp_path: Path):
    offset = tmp_path / "offset"
    offset.write_text("0")
    study = write_study(
        tmp_path, CASE.study, people=CASE.n_people, access="open", visits="enrol-first", wave_hours=1000.0, minimum=10
    )
    crowd = Crowd(CASE)
    with serving(study, url, tmp_path / "log", seed=7, clock=str(offset)) as server:
        reports = start_asking(server, crowd)
        for i in range(40):
            offset.write_text(str((-1) ** i * i * 80_000))  # up to 36 days, to and fro
            assert put(server, crowd, i, reports[i]).status == 201
            time.sleep(0.02)
        assert [wave["state"] for wave in server.status()["waves"]] == ["done", "open"]
        offset.write_text("-1e9")
        assert all(put(server, crowd, i, reports[i]).status == 201 for i in range(40, CASE.n_people - 1))
        assert server.status()["waves"][-1]["wave"] == 1
        assert put(server, crowd, CASE.n_people - 1, reports[-1]).status == 201
        second = server.until(2)["waves"]  # a wave that is complete ends, whatever the clock says
        assert [wave["received"] for wave in second] == [0, CASE.n_people, 0]
        (report,) = crowd.reports([0], crowd.questions(server, [0]), crowd.sources["cell"])
        assert server.ask("PUT", "/api/reports/2", report, crowd.tokens[0]).status == 201
        offset.write_text("1e9")
        assert server.until(99)["outcome"] is not None  # and one whose time is over ends with what is there
