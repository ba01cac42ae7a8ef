"""What every request passes: limits before, safety headers and a count after. Nothing about who sent it is noted."""

from __future__ import annotations

import logging
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from semildp.service.core import Core
from semildp.service.problems import problem_response

_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_ALWAYS = [
    (b"content-security-policy", _CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
]
_METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH")
_NO_STORE = (b"cache-control", b"no-store")

_log = logging.getLogger(__name__)


class Guard:
    """Wraps the application."""

    def __init__(self, app: ASGIApp, core: Core) -> None:
        self._app, self._core = app, core

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def send_safely(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = message["headers"]
                headers.extend(_ALWAYS)
                if not any(name == b"cache-control" for name, _ in headers):
                    headers.append(_NO_STORE)
            await send(message)

        problem = self._refuse(scope)
        if problem is not None:
            await problem_response(problem)(scope, receive, send_safely)
        else:
            await self._app(scope, receive, send_safely)
        route = getattr(scope.get("endpoint"), "__name__", "none")
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._core.metrics.request(method, route, status, time.perf_counter() - started)
        if status >= 500:
            _log.warning("refused", extra={"facts": {"route": route, "status": status}})

    def _refuse(self, scope: Scope) -> str | None:
        """Return why a request is refused before it is looked at, if so."""
        if not self._core.gate.pass_any():
            return "too-many-requests"
        if scope["path"].startswith("/api/"):
            for name, value in scope["headers"]:
                if name == b"sec-fetch-site" and value in (b"cross-site", b"same-site"):
                    return "cross-site"
        return None
