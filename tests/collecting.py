"""A collection server that is none: it answers as the service does, keeps what it was sent, and can be made to fail."""

from __future__ import annotations

import json
from collections.abc import Callable

import httpx

from semildp.protocols import asks_newcomers
from semildp.remote import Http
from semildp.running import Running
from semildp.study import Category, Feature, Number, Study

STUDY = Study(
    name="stand-in",
    epsilon=2.0,
    label=Number(0, 10),
    features=(
        Feature("age", Number(18, 98)),
        Feature("work", Category(("day", "night"))),
        Feature("x", Number(0, 1), True),
    ),
    protocol="public-tree",
)
ADDRESS = "http://study.test"
CURATOR = "C" * 43


class StandIn:
    """Asks everybody the first wave's first question; `fail` may answer a request before it is looked at."""

    def __init__(self, **collection) -> None:
        assert asks_newcomers(STUDY)
        self.question = Running(STUDY, 0, 500).plan().questions[0]
        told = {"title": "Stand-in", "access": "open", "visits": "one-visit", "status": "asking", "people": 500}
        self.collection = told | collection
        self.sent: list[tuple[str, str, str, bytes]] = []  # method, path, token, body
        self.enrolled: dict[str, bytes] = {}
        self.reports: dict[str, bytes] = {}
        self.fail: Callable[[httpx.Request], httpx.Response | None] = lambda request: None
        self.waits: list[float] = []

    def http(self, **options) -> Http:
        """Return a way to reach it that does not sleep."""
        return Http(ADDRESS, transport=httpx.MockTransport(self._answer), sleep=self.waits.append, **options)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        self.sent.append((request.method, request.url.path, token, request.content))
        failure = self.fail(request)
        if failure is not None:
            return failure
        path = request.url.path.removeprefix("/api/")
        if path.startswith("curator/"):
            return self._curator(path.removeprefix("curator/"), token, request.content)
        if path == "people":
            person = request.headers["Semildp-Person"]
            first = person not in self.enrolled
            self.enrolled[person] = request.content
            return httpx.Response(201 if first else 200, json={"person": person})
        if path == "question":
            state = {"Semildp-State": "done", "Retry-After": "10"}
            return (
                httpx.Response(204, headers=state)
                if token in self.reports
                else httpx.Response(200, content=self.question)
            )
        if path.startswith("reports/"):
            first = self.reports.setdefault(token, request.content) is request.content
            return httpx.Response(201 if first else 200)
        documents = {"study": STUDY.to_json(), "collection": json.dumps(self.collection).encode()}
        return httpx.Response(200, content=documents[path])

    def _curator(self, name: str, token: str, body: bytes) -> httpx.Response:
        if token != CURATOR:
            return problem(401, "unknown-token", "the token is not known in this study")
        if name == "invitations":
            return httpx.Response(201, json={"invitations": [f"{k:043d}" for k in range(json.loads(body)["count"])]})
        return httpx.Response(200, json={"name": name})


def problem(status: int, name: str, detail: str = "") -> httpx.Response:
    """Return a refusal as servers write it."""
    body = json.dumps({"problem": name, "title": name, "detail": detail}).encode()
    return httpx.Response(status, content=body, headers={"Content-Type": "application/problem+json"})
