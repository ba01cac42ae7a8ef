"""Everything that the service refuses, by name: the wire's problems and its own. A closed list."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

from semildp.wire.problems import PROBLEMS as WIRE

OWN: dict[str, tuple[int, str]] = {
    "bad-request": (400, "the request cannot be read"),
    "no-token": (401, "a token is needed: Authorization: Bearer <token>"),
    "unknown-token": (401, "the token is not known in this study"),
    "cross-site": (403, "another site's page must not send to this one"),
    "not-open": (403, "the study is not open yet"),
    "not-found": (404, "there is nothing at this address"),
    "no-model": (404, "there is no model: too few people have reported, or waves are still open"),
    "wrong-method": (405, "this address takes other methods"),
    "too-slow": (408, "the body did not arrive in time"),
    "invitation-used": (409, "the invitation has been used, with another token or another enrolment"),
    "token-used": (409, "the person's token has been used, with another enrolment or invitation"),
    "not-asked": (409, "the person was not asked in this wave"),
    "already-answered": (409, "the person has answered already, with other bytes"),
    "study-closed": (410, "the study is closed"),
    "enrolment-over": (410, "everybody who takes part is enrolled"),
    "wave-over": (410, "the wave is over"),
    "too-many-requests": (429, "requests come too fast"),
    "internal": (500, "something went wrong on the server"),
    "busy": (503, "the server is busy; nothing was kept: send it again"),
    "store-unavailable": (503, "the store cannot be written now; nothing was kept: send it again"),
}
STATUS: dict[str, int] = {**dict.fromkeys(WIRE, 422), **{name: status for name, (status, _) in OWN.items()}}
STATUS["too-large"] = 413
TITLES: dict[str, str] = {**WIRE, **{name: title for name, (_, title) in OWN.items()}}
RETRY_SECONDS = {"busy": 1, "store-unavailable": 5, "too-many-requests": 1, "not-open": 60}


class RefusedError(Exception):
    """A request that is refused; `problem` is one of the list."""

    def __init__(self, problem: str, detail: str = "") -> None:
        super().__init__(problem)
        self.problem, self.detail = problem, detail


class Problem(msgspec.Struct, frozen=True):
    """The body of every refusal."""

    problem: str
    title: str
    detail: str


def problem_response(problem: str, detail: str = "") -> Response:
    """Write a refusal down."""
    headers = {"Retry-After": str(RETRY_SECONDS[problem])} if problem in RETRY_SECONDS else {}
    if problem in ("too-slow", "too-large"):
        headers["Connection"] = "close"  # the rest of the body is not waited for
    if STATUS[problem] == 401:
        headers["WWW-Authenticate"] = "Bearer"
    body = msgspec.json.encode(Problem(problem, TITLES[problem], detail or TITLES[problem]))
    return Response(body, STATUS[problem], headers, "application/problem+json")
