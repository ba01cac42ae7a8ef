"""What a server tells everybody: the study and how it is collected."""

from __future__ import annotations

from typing import Literal

import msgspec

from semildp.client import Device
from semildp.remote.http import Http, RemoteError
from semildp.remote.visit import Visit
from semildp.study import Study
from semildp.wire.codec import digest

VISITS = Literal["one-visit", "enrol-first"]


class Collection(msgspec.Struct, frozen=True):
    """How a study is collected, as far as a device needs to know; other fields are not looked at."""

    title: str
    access: Literal["invitation", "open"]
    visits: VISITS
    status: Literal["not-open", "enrolling", "asking", "closed"]
    people: int


class Server:
    """A collection server, as people see it.

    Examples
    --------
    A person takes part, from Python rather than from the page::

        with Http("https://study.example.org") as http:
            server = Server(http)
            device = Device(server.study(), [31, "A"], 4.5, ["blood"], Ledger.open("ledger", limit=2.0))
            visit = server.visit(device, invitation)
            visit.enrol()
            visit.step()
    """

    def __init__(self, http: Http) -> None:
        self.http = http

    def study(self) -> Study:
        """Return the study; one that this version reads otherwise than the server is refused."""
        raw = self.http.ask("GET", "/api/study").content
        study = Study.from_json(raw)
        if study.digest != digest(raw):
            raise RemoteError(
                "wrong-study",
                "The study must be read here as on the server. Its digest differs. Use the version of semildp that the "
                "server runs.",
            )
        return study

    def collection(self) -> Collection:
        """Return how the study is collected and how far it is."""
        raw = self.http.ask("GET", "/api/collection").content
        try:
            return msgspec.json.decode(raw, type=Collection)
        except msgspec.DecodeError as problem:
            sentence = (
                f"The server's /api/collection cannot be read: {str(problem).rstrip('.')}. Use its version of semildp."
            )
            raise RemoteError("wrong-version", sentence) from None

    def visit(self, device: Device, invitation: str | None = None, token: str | None = None) -> Visit:
        """Return a visit of one person."""
        return Visit(self.http, device, invitation, token)
