"""One person's dealings with a server: enrol, be asked, answer. The device makes the messages."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Literal

from semildp.client import Device
from semildp.remote.http import Http, RemoteError, retry_after
from semildp.wire.codec import decode
from semildp.wire.messages import Question

State = Literal["answered", "waiting", "done", "late", "closed"]
DEFAULT_WAIT = 2.0  # seconds, where the server does not say when to come again


@dataclass(frozen=True)
class Step:
    """How a visit stands after a step.

    Parameters
    ----------
    state
        "answered": a report was taken. "waiting": nothing is asked now, come again. "done": nothing will be asked any
        more. "late": the wave was over before the report came. "closed": the study is.
    wait
        After how many seconds to come again, where there is a reason to.
    """

    state: State
    wait: float = 0.0


class Visit:
    """A person takes part. Every request may be repeated: it has the same token and the same bytes.

    Parameters
    ----------
    http
        The server.
    device
        The person's device: it makes the enrolment and the reports, and nothing else leaves it.
    invitation
        The person's invitation; None where the study is open.
    token
        What the server will know this person by, if they were here before; None: a new one is drawn.
    """

    def __init__(self, http: Http, device: Device, invitation: str | None = None, token: str | None = None) -> None:
        self._http, self._device, self._invitation = http, device, invitation
        self.token = secrets.token_urlsafe(32) if token is None else token

    def enrol(self) -> None:
        """Send what the person makes public. Once more does no harm."""
        headers = {"Semildp-Person": self.token}
        self._http.ask("POST", "/api/people", body=self._device.enrol(), token=self._invitation, headers=headers)

    def step(self) -> Step:
        """Fetch the question, if there is one now, and answer it."""
        try:
            asked = self._http.ask("GET", "/api/question", token=self.token)
        except RemoteError as problem:
            if problem.problem == "study-closed":
                return Step("closed")
            raise
        if asked.status_code == 204:
            done = asked.headers.get("Semildp-State") == "done"
            return Step("done") if done else Step("waiting", retry_after(asked) or DEFAULT_WAIT)
        return self.answer(asked.content)

    def answer(self, question: bytes) -> Step:
        """Answer a question: the device judges it, pays for it and draws the report."""
        wave = decode(question, Question).wave
        report = self._device.answer(question)
        try:
            self._http.ask("PUT", f"/api/reports/{wave}", body=report, token=self.token)
        except RemoteError as problem:
            if problem.problem in ("wave-over", "study-closed"):
                return Step("late" if problem.problem == "wave-over" else "closed")
            raise
        return Step("answered")
