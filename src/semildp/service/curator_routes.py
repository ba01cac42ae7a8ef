"""What the curator calls, with the curator's token: status, model, estimates so far, totals; close, advance, invite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import msgspec
from msgspec import Meta
from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from semildp._json import strict_json
from semildp.errors import InputError
from semildp.explain import in_words
from semildp.service.core import Core
from semildp.service.interim import interim
from semildp.service.limits import read_body
from semildp.service.people_routes import JSON, token_of
from semildp.service.problems import RefusedError
from semildp.service.statement import statement, statement_page
from semildp.service.store import StudyRow
from semildp.service.summary import summary
from semildp.service.tokens import hash_of, new_token, same
from semildp.wire.codec import decode
from semildp.wire.messages import Question

MOST_INVITATIONS = 100_000  # at once

Action = Callable[[Core, Connection], Response]


class Invite(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many invitations to make."""

    count: Annotated[int, Meta(ge=1, le=MOST_INVITATIONS)]


class CuratorRoutes:
    """The routes, over a core."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def routes(self) -> list[Route]:
        """Return the routes."""
        get = {
            "status": _status,
            "model": _model,
            "interim": _interim,
            "totals": _totals,
            "statement": _statement,
            "statement.html": _statement_page,
        }
        routes = [
            Route(f"/api/curator/{name}", self._reader(name.replace(".", "_"), act), methods=["GET"])
            for name, act in get.items()
        ]
        return [
            *routes,
            Route("/api/curator/close", self.close, methods=["POST"]),
            Route("/api/curator/advance", self.advance, methods=["POST"]),
            Route("/api/curator/invitations", self.invite, methods=["POST"]),
        ]

    def _reader(self, name: str, act: Action) -> Callable[[Request], object]:
        """Return an endpoint that reads from the store."""

        async def endpoint(request: Request) -> Response:
            token = token_of(request)
            return await run_in_threadpool(self._read, token, act)

        endpoint.__name__ = name
        return endpoint

    def _read(self, token: str, act: Action) -> Response:
        with self._core.store.reading() as connection:
            _check(token, self._core.store.head(connection))
            return act(self._core, connection)

    async def close(self, request: Request) -> Response:
        """Close the study: nothing more is taken, and the model is made of what is there."""
        return await run_in_threadpool(self._change, token_of(request), "close")

    async def advance(self, request: Request) -> Response:
        """End the open wave, or the enrolment, now."""
        return await run_in_threadpool(self._change, token_of(request), "advance")

    def _change(self, token: str, what: str) -> Response:
        core = self._core
        with core.store.writing() as (connection, study, wave):
            _check(token, study)
            now = int(core.clock())
            if study.closed is not None:
                raise RefusedError("study-closed")
            if what == "close":
                core.store.set_study(connection, closed=now)
            elif wave.state == "open":
                core.store.set_wave(connection, wave.number, ends=0)  # its time is over, whatever a clock says
        core.worker.look()
        return Response(msgspec.json.encode({"wave": wave.number}), 202, media_type=JSON)

    async def invite(self, request: Request) -> Response:
        """Make invitations; this answer is the only place where they can be read."""
        token = token_of(request)
        body = await read_body(request, 1000, self._core.limits.body_seconds)
        try:
            count = msgspec.convert(strict_json(body), Invite).count
        except (InputError, msgspec.ValidationError):
            required = f'{{"count": n}} with n from 1 to {MOST_INVITATIONS}'
            raise RefusedError("bad-request", f"the body must be {required}") from None
        made = [new_token() for _ in range(count)]
        await run_in_threadpool(self._invite, token, [hash_of(each) for each in made])
        return Response(msgspec.json.encode({"invitations": made}), 201, media_type=JSON)

    def _invite(self, token: str, hashes: list[str]) -> None:
        with self._core.store.writing() as (connection, study, _):
            _check(token, study)
            if study.closed is not None:
                raise RefusedError("study-closed")
            self._core.store.add_invitations(connection, hashes)


def _check(token: str, study: StudyRow) -> None:
    if not same(token, study.curator_hash):
        raise RefusedError("unknown-token")


def _status(core: Core, connection: Connection) -> Response:
    return Response(msgspec.json.encode(summary(core, connection)), media_type=JSON)


def _model(core: Core, connection: Connection) -> Response:
    raw = core.store.model(connection)
    if raw is None:
        raise RefusedError("no-model")
    return Response(raw, media_type=JSON, headers={"Content-Disposition": 'attachment; filename="model.json"'})


def _interim(core: Core, connection: Connection) -> Response:
    return Response(msgspec.json.encode(interim(core, connection)), media_type=JSON)


def _totals(core: Core, connection: Connection) -> Response:
    """Return totals of all waves that are done, once a model may be made of so many people's reports."""
    if core.store.head(connection).outcome != "model" and core.store.count_reporters(connection) < (
        core.rules.collection.minimum
    ):
        raise RefusedError("no-model", f"fewer than {core.rules.collection.minimum} people have reported")
    body = b'{"study":"' + core.rules.study.digest.encode() + b'","waves":['
    body += b",".join(core.store.totals(connection)) + b"]}"
    return Response(body, media_type=JSON, headers={"Content-Disposition": 'attachment; filename="totals.json"'})


def _statement(core: Core, connection: Connection) -> Response:
    text = statement(core.rules, _asked(core, connection))
    return Response(text, media_type="text/plain; charset=utf-8")


def _statement_page(core: Core, connection: Connection) -> Response:
    page = statement_page(core.rules, _asked(core, connection))
    headers = {"Content-Disposition": 'attachment; filename="privacy-statement.html"'}
    return Response(page, media_type="text/html; charset=utf-8", headers=headers)


def _asked(core: Core, connection: Connection) -> list[str]:
    """Return what was asked so far, in words."""
    words = [
        in_words(core.rules.study, decode(raw, Question))
        for wave in core.store.waves(connection)
        for raw in core.store.templates(connection, wave.number)
    ]
    return list(dict.fromkeys(words))
