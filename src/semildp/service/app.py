"""The web application: routes, refusals, and what happens when it starts and stops."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from sqlalchemy.exc import SQLAlchemyError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from semildp import __version__
from semildp.service.core import Core
from semildp.service.curator_routes import CuratorRoutes
from semildp.service.guard import Guard
from semildp.service.openapi import openapi
from semildp.service.pages import Pages
from semildp.service.people_routes import JSON, PeopleRoutes
from semildp.service.problems import RefusedError, problem_response


def build_app(core: Core, extra: Sequence[BaseRoute] = ()) -> ASGIApp:
    """Put the application together; threads start and stop with it."""

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        core.start()
        try:
            yield
        finally:
            await run_in_threadpool(core.stop)

    app = Starlette(
        routes=[
            *PeopleRoutes(core).routes(),
            *extra,
            *CuratorRoutes(core).routes(),
            *Own(core).routes(),
            *Pages().routes(),
        ],
        exception_handlers={
            RefusedError: _refusal,
            HTTPException: _http,
            SQLAlchemyError: _store,
            ClientDisconnect: _gone,
            Exception: _unexpected,
        },
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    return Guard(app, core)


class Own:
    """Health, metrics and the description of the interface."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._openapi = msgspec.json.encode(openapi())

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/health", self.health, methods=["GET"]),
            Route("/metrics", self.metrics, methods=["GET"]),
            Route("/openapi.json", self.openapi, methods=["GET"]),
        ]

    async def health(self, request: Request) -> Response:
        """Whether the store can be read."""
        await run_in_threadpool(self._read)
        return Response(msgspec.json.encode({"status": "ok", "version": __version__}), media_type=JSON)

    async def metrics(self, request: Request) -> Response:
        """Counters for Prometheus."""
        text = await run_in_threadpool(self._read)
        return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    async def openapi(self, request: Request) -> Response:
        """The description of the interface."""
        return Response(self._openapi, media_type=JSON)

    def _read(self) -> str:
        with self._core.store.reading() as connection:
            return self._core.metrics.text(self._core.store.head(connection), self._core.store.waves(connection))


async def _refusal(request: Request, problem: Exception) -> Response:
    if not isinstance(problem, RefusedError):
        raise problem
    return problem_response(problem.problem, problem.detail)


async def _http(request: Request, problem: Exception) -> Response:
    """What the router refuses."""
    if not isinstance(problem, HTTPException):
        raise problem
    name = {404: "not-found", 405: "wrong-method"}.get(problem.status_code, "bad-request")
    response = problem_response(name)
    response.headers.update(problem.headers or {})
    return response


async def _store(request: Request, problem: Exception) -> Response:
    return problem_response("store-unavailable")


async def _gone(request: Request, problem: Exception) -> Response:
    """Nobody is there to read it."""
    return problem_response("bad-request")


async def _unexpected(request: Request, problem: Exception) -> Response:
    return problem_response("internal")
