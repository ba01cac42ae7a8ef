"""What people's browsers call: the study, enrolment, question, report; and many of these at once."""

from __future__ import annotations

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from semildp.service.batches import do_batch
from semildp.service.clock import has_opened
from semildp.service.core import Core
from semildp.service.jobs import Enrol, Look, Send, Told
from semildp.service.limits import read_body
from semildp.service.problems import RefusedError, problem_response
from semildp.service.texts import page_texts
from semildp.service.tokens import hash_of, is_token

JSON = "application/json"
RETRY_SECONDS = "10"  # for who waits for a wave


def token_of(request: Request) -> str:
    """Return the token that a request bears."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer":
        raise RefusedError("no-token")
    if not is_token(token):
        raise RefusedError("unknown-token")
    return token


def answer(told: Told) -> Response:
    """Write down what somebody is told."""
    if told.problem is not None:
        return problem_response(told.problem)
    if told.status == 204:
        return Response(None, 204, {"Semildp-State": told.state, "Retry-After": RETRY_SECONDS})
    return Response(told.body, told.status, media_type=JSON)


class PeopleRoutes:
    """The routes, over a core."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._study = core.rules.study.to_json()
        self._texts = page_texts(core)

    def routes(self) -> list[Route]:
        """Return the routes, the most used first."""
        return [
            Route("/api/reports/{wave:int}", self.report, methods=["PUT"]),
            Route("/api/question", self.question, methods=["GET"]),
            Route("/api/people", self.enrol, methods=["POST"]),
            Route("/api/batch", self.batch, methods=["POST"]),
            Route("/api/study", self.study, methods=["GET"]),
            Route("/api/collection", self.collection, methods=["GET"]),
            Route("/api/texts", self.texts, methods=["GET"]),
        ]

    async def report(self, request: Request) -> Response:
        """Keep a report."""
        person = self._person(request)
        body = await self._body(request)
        (told,) = await self._core.writer.do([Send(person, request.path_params["wave"], body)])
        return answer(told)

    async def question(self, request: Request) -> Response:
        """Tell somebody what they are asked."""
        person = self._person(request)
        self._check_open()
        (told,) = await self._core.writer.do([Look(person)])
        return answer(told)

    async def enrol(self, request: Request) -> Response:
        """Enrol somebody."""
        invitation = None
        if self._core.rules.collection.access == "invitation":
            invitation = hash_of(token_of(request))
            self._core.gate.check_token(invitation)
        token = request.headers.get("semildp-person", "")
        if not is_token(token):
            raise RefusedError("bad-request", "Semildp-Person must be 32 random bytes in base64url, 43 characters")
        self._check_open()
        body = await self._body(request)
        (told,) = await self._core.writer.do([Enrol(invitation, hash_of(token), body)])
        if told.problem is not None:
            return answer(told)
        return Response(msgspec.json.encode({"person": token}), told.status, media_type=JSON)

    async def batch(self, request: Request) -> Response:
        """Do many people's jobs; those that are refused are listed in order."""
        limits = self._core.limits
        raw = await read_body(request, limits.batch_bytes, limits.body_seconds)
        self._check_open()
        lines = raw.split(b"\n")
        if lines and not lines[-1]:
            lines.pop()
        if len(lines) > limits.batch_lines:
            raise RefusedError("too-large", f"at most {limits.batch_lines} lines are read here")
        told = await do_batch(self._core, lines)
        return Response(msgspec.json.encode(told), media_type=JSON)

    async def study(self, request: Request) -> Response:
        """Return the study's bytes."""
        return Response(self._study, media_type=JSON)

    async def collection(self, request: Request) -> Response:
        """Return how the study is collected, and its status."""
        settings = self._core.rules.collection
        told = {
            name: getattr(settings, name)
            for name in (
                "title",
                "description",
                "contact",
                "access",
                "visits",
                "opens",
                "closes",
                "questions",
                "people",
            )
        }
        told["status"] = await run_in_threadpool(self._status)
        return Response(msgspec.json.encode(told), media_type=JSON)

    async def texts(self, request: Request) -> Response:
        """Return the page's texts."""
        return Response(self._texts, media_type=JSON)

    def _status(self) -> str:
        with self._core.store.reading() as connection:
            return self._core.status(self._core.store.head(connection), self._core.store.newest_wave(connection))

    def _person(self, request: Request) -> str:
        person = hash_of(token_of(request))
        self._core.gate.check_token(person)
        return person

    def _check_open(self) -> None:
        if not has_opened(self._core.rules.collection, self._core.clock()):
            raise RefusedError("not-open")

    async def _body(self, request: Request) -> bytes:
        return await read_body(request, self._core.limits.body_bytes, self._core.limits.body_seconds)
