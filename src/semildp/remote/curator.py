"""The curator's requests, which need the curator's token."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from semildp._checks import whole_number
from semildp.errors import InputError
from semildp.remote.http import Http, RemoteError

MOST_AT_ONCE = 10_000  # invitations in one request


class Curator:
    """A collection server, as the curator sees it.

    Parameters
    ----------
    http
        The server.
    token
        The curator's token.
    """

    def __init__(self, http: Http, token: str) -> None:
        if not isinstance(token, str) or not (token.isascii() and token.isprintable() and token) or " " in token:
            raise InputError(
                "The curator's token must be one word of letters, digits, - and _. Copy it anew from its file."
            )
        self._http, self._token = http, token

    def status(self) -> dict[str, Any]:
        """Return how far the study is."""
        return self._json("GET", "status")

    def close(self) -> dict[str, Any]:
        """End the study: no further report is taken, and the model is made from those that are there."""
        return self._json("POST", "close")

    def advance(self) -> dict[str, Any]:
        """End the wave now, with the reports that are there."""
        return self._json("POST", "advance", repeatable=False)

    def model(self) -> bytes:
        """Return the model's bytes."""
        return self._ask("GET", "model")

    def interim(self) -> dict[str, Any]:
        """Return estimates of the reports so far, as if the study were closed now; they are not final."""
        return self._json("GET", "interim")

    def totals(self) -> bytes:
        """Return what all reports add up to."""
        return self._ask("GET", "totals")

    def statement(self) -> bytes:
        """Return what is guaranteed, in plain words."""
        return self._ask("GET", "statement")

    def invitations(self, count: int) -> list[str]:
        """Make invitations and return their tokens: the server keeps only hashes, so that this is the only time."""
        left, made = whole_number("number of invitations", count, 1, 10_000_000), list[str]()
        while left:
            wanted = min(left, MOST_AT_ONCE)
            answer = self._json("POST", "invitations", {"count": wanted}, repeatable=False)
            made += answer["invitations"]
            left -= wanted
        return made

    def _ask(self, method: str, name: str, content: Any = None, *, repeatable: bool = True) -> bytes:
        body = None if content is None else json.dumps(content).encode()
        path = f"/api/curator/{name}"
        try:
            return self._http.ask(method, path, body=body, token=self._token, repeatable=repeatable).content
        except RemoteError as problem:
            if problem.status in (401, 403) and problem.problem != "not-open":
                sentence = f"{problem} The curator's token must be that of this study."
                raise RemoteError(problem.problem, sentence, problem.status) from None
            raise

    def _json(self, method: str, name: str, content: Any = None, *, repeatable: bool = True) -> dict[str, Any]:
        raw = self._ask(method, name, content, repeatable=repeatable)
        try:
            return msgspec.json.decode(raw, type=dict[str, Any])
        except msgspec.DecodeError:
            sentence = f"/api/curator/{name} must answer with a JSON object. Use the server's version of semildp."
            raise RemoteError("wrong-version", sentence) from None
