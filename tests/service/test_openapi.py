"""Requests made up from the interface's own description: no 5xx, no problem that is not listed for its operation."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings

from semildp.service.openapi import openapi
from semildp.service.problems import STATUS
from semildp.service.tokens import new_token
from tests.service.crowd import Crowd, Crowded
from tests.service.serving import CURATOR, Server, serving, write_study

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed: pip install schemathesis.")


@schemathesis.serializer("application/x-ndjson")
def ndjson(context, value):
    return str(value).encode()


CASE = Crowded("semi-private", "split", "personal", 400)
NO_LIMITS = {"token_rate": 1e9, "token_burst": 1e9, "rate": 1e9, "burst": 1e9}
OPERATIONS = [(path, method) for path, methods in openapi()["paths"].items() for method in methods]
LAST = ("/api/curator/close", "/api/curator/advance")  # after these there is less to find


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    place = tmp_path_factory.mktemp("openapi")
    study = write_study(place, CASE.study, people=CASE.n_people)
    with serving(study, f"sqlite:///{place / 'study.sqlite'}", place / "log", limits=NO_LIMITS) as running:
        running.until(1)
        yield running
        assert running.ask("GET", "/health").status == 200


@pytest.mark.parametrize(("path", "method"), sorted(OPERATIONS, key=lambda each: each[0] in LAST))
def test_made_up_requests_are_answered_as_described(server: Server, path: str, method: str):
    crowd, (link, other) = Crowd(CASE), server.invite(2) if server.status()["closed"] is None else ("", "")
    if link:
        crowd.enrol(server, [0], [link])
    schema = schemathesis.openapi.from_url(f"http://127.0.0.1:{server.port}/openapi.json")
    operation = schema[path][method]
    tokens = (CURATOR, crowd.tokens[0], other, new_token(), None)

    @settings(
        max_examples=25,
        deadline=None,
        derandomize=False,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def check(case):
        for token in tokens:
            headers = {**(case.headers or {}), "Authorization": f"Bearer {token}"} if token else case.headers
            response = case.call(headers=headers)
            assert response.status_code < 500, response.text
            listed = openapi()["paths"][path][method]["responses"]
            assert str(response.status_code) in listed, (response.status_code, response.text)
            if response.status_code >= 400:
                told = json.loads(response.content)
                assert STATUS[told["problem"]] == response.status_code
                assert told["problem"] in listed[str(response.status_code)]["description"].split(", ")

    check()
