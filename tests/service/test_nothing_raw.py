"""No raw value, no token and no address is in the store, in logs or in temporary files."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
from sqlalchemy import create_engine, inspect, text

from semildp.client import Device, Ledger
from semildp.study import Feature, Number, Study
from semildp.wire.codec import encode
from semildp.wire.messages import Enrolment
from tests.service.serving import CURATOR, serving, tokens, write_study

STUDY = Study(
    name="nothing raw",
    epsilon=1.0,
    label=Number(0, 1e6),
    features=(Feature("income", Number(0, 1e6), private=True), Feature("age", Number(0, 100))),
)
N = 60


def everything(folder: Path, url: str) -> bytes:
    """All bytes of all files, and all values of all tables as text."""
    found = [path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "study.toml"]
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        for table in inspect(engine).get_table_names():
            for row in connection.execute(text(f"SELECT * FROM {table}")):
                found += [bytes(v) if isinstance(v, bytes | memoryview) else str(v).encode() for v in row]
    engine.dispose()
    return b"\n".join(found)


def test_nothing_raw_is_kept_anywhere(url: str, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    study = write_study(tmp_path, STUDY, people=N, minimum=10)
    rng = np.random.default_rng(5)
    incomes, labels = rng.uniform(1e5, 9e5, N).round(3), rng.uniform(1e5, 9e5, N).round(3)
    people = tokens(N)
    with serving(study, url, tmp_path / "log", log_level="DEBUG") as server:
        links = server.invite(N)
        wave = 0
        for i in range(N):
            device = Device(STUDY, [float(incomes[i]), 40.0], float(labels[i]), ["income"], Ledger(1.0))
            assert server.ask("POST", "/api/people", device.enrol(), links[i], Semildp_Person=people[i]).status == 201
            reply = server.ask("GET", "/api/question", None, people[i])
            while reply.status == 204:
                server.until(wave + 1)
                reply = server.ask("GET", "/api/question", None, people[i])
            report = device.answer(reply.body)
            wave = int(reply.body.partition(b'"wave":')[2].partition(b",")[0])
            assert server.ask("PUT", f"/api/reports/{wave}", report, people[i]).status == 201
            leaked = encode(Enrolment(STUDY.digest, (float(incomes[i]), 40.0)))  # refused; it must not be logged either
            assert server.ask("POST", "/api/people", leaked, links[i], Semildp_Person=people[i]).status == 422
            server.ask("GET", f"/page/{people[i]}?{links[i]}", None, people[i])
        server.curator("POST", "close")
        server.until(99)
        server.curator("GET", "status")
        kept = everything(tmp_path, url) + b"".join(server.ask("GET", p).body for p in ("/metrics", "/health"))
    kept += everything(tmp_path, url)
    assert STUDY.digest.encode() in kept
    for value in (*incomes, *labels):
        assert repr(float(value)).encode() not in kept
        assert np.float64(value).tobytes() not in kept
    for token in (*people, *links, CURATOR):
        assert token.encode() not in kept
        assert base64.urlsafe_b64decode(token + "=") not in kept
    assert b"127.0.0.1" not in kept


def test_reports_are_gone_once_there_is_a_model(url: str, tmp_path: Path):
    from tests.service.crowd import Crowd, Crowded

    case = Crowded("public-tree", "split", "aligned", 120)
    crowd, study = Crowd(case), write_study(tmp_path, case.study, people=120, access="open")
    with serving(study, url, tmp_path / "log") as server:
        server.until(1)
        crowd.enrol(server, range(120))
        reports = [
            crowd.reports([i], [raw], crowd.sources["label"])[0]
            for i, raw in enumerate(crowd.questions(server, range(120)))
        ]
        crowd.send(server, 1, range(120), reports)
        assert server.until(99)["outcome"] == "model"
        engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
        with engine.connect() as connection:
            assert connection.execute(text("SELECT count(*) FROM report")).scalar() == 0
        engine.dispose()
    if url.startswith("sqlite"):
        kept = b"".join(path.read_bytes() for path in tmp_path.glob("study.sqlite*"))
        assert crowd.enrolments[0] in kept
        assert not [report for report in reports if report in kept]
