"""Requests to a collection server: sent again with the same bytes when they may not have arrived; refusals by name."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

import httpx
import msgspec

from semildp.errors import InputError
from semildp.remote.links import read_link

TRIES, TIMEOUT = 4, 30.0  # how often a request is sent, at most; seconds that an answer may take
FIRST_WAIT, LONGEST_WAIT = 0.25, 20.0  # seconds before the second try, doubled each time; at most so many
_AGAIN = (429, 502, 503, 504)  # the server, or a proxy in front of it, asks to come again


class RemoteError(InputError):
    """The server has refused a request, or could not be reached; `problem` names why."""

    def __init__(self, problem: str, sentence: str, status: int | None = None) -> None:
        super().__init__(sentence)
        self.problem, self.status = problem, status


class _Refused(msgspec.Struct):
    """What a server says when it refuses (application/problem+json); other fields are not looked at."""

    problem: str
    detail: str = ""
    title: str = ""


class Http:
    """One server, reached over HTTP. Threads may share it.

    Parameters
    ----------
    address
        Where it is: https://study.example.org
    tries
        How often a request is sent, at most, until it is answered.
    transport
        How httpx sends, for tests.
    sleep
        How to wait, for tests.
    """

    def __init__(
        self,
        address: str,
        *,
        tries: int = TRIES,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.address = read_link(address)[0]
        self._tries, self._sleep = tries, sleep
        many = httpx.Limits(max_connections=256, max_keepalive_connections=256)
        self._client = httpx.Client(transport=transport, timeout=TIMEOUT, limits=many, trust_env=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def ask(
        self,
        method: str,
        path: str,
        *,
        body: bytes | None = None,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
        repeatable: bool = True,
    ) -> httpx.Response:
        """Send a request until it is answered; raise what is refused.

        Parameters
        ----------
        method, path, body, headers
            The request. Every try sends the same bytes.
        token
            Whose it is: of an invitation, a person or the curator.
        repeatable
            Whether it does no harm if it arrives twice; otherwise it is repeated only if it cannot have arrived.
        """
        sent = {"Authorization": f"Bearer {token}"} if token else {}
        if body is not None:
            sent["Content-Type"] = "application/json"
        request = {
            "method": method,
            "url": self.address + path,
            "content": body,
            "headers": {**sent, **(headers or {})},
        }
        for attempt in range(1, self._tries + 1):
            wait = min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_WAIT) * random.uniform(0.5, 1.0)  # nosec B311
            try:
                answer = self._client.request(**request)  # type: ignore[arg-type]
            except httpx.TransportError as problem:
                lost = repeatable or isinstance(problem, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
                if attempt == self._tries or not lost:
                    raise self._unreachable(method, path, attempt, problem) from None
            else:
                if answer.status_code not in _AGAIN or attempt == self._tries:
                    return self._accepted(method, path, answer)
                wait = max(wait, min(retry_after(answer) or 0.0, LONGEST_WAIT))
            self._sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _accepted(self, method: str, path: str, answer: httpx.Response) -> httpx.Response:
        """Return an answer that is no refusal."""
        if answer.is_success:
            return answer
        what = f"{method} {self.address}{path}"
        if answer.is_redirect:
            to = answer.headers.get("Location", "another address")
            raise RemoteError("moved", f"{what} leads to {to}. Give that address.", answer.status_code)
        try:
            said = msgspec.json.decode(answer.content, type=_Refused)
        except msgspec.DecodeError:
            sentence = (
                f"{what} was answered with status {answer.status_code} and no reason that semildp knows. "
                "Is there a collection server of semildp at this address?"
            )
            raise RemoteError("not-semildp", sentence, answer.status_code) from None
        reason = (said.detail or said.title or "no reason was given").rstrip(".")
        raise RemoteError(
            said.problem, f"The server refused {method} {path} ({said.problem}): {reason}.", answer.status_code
        )

    def _unreachable(self, method: str, path: str, tried: int, problem: httpx.TransportError) -> RemoteError:
        times = "once" if tried == 1 else f"{tried} times"
        reason = str(problem).rstrip(".") or type(problem).__name__
        return RemoteError(
            "unreachable",
            f"The server could not be reached: {method} {self.address}{path} was tried {times} ({reason}). "
            "Is it running (`semildp serve study.toml`), and is the address right?",
        )


def retry_after(answer: httpx.Response) -> float | None:
    """Return after how many seconds the server wants to be asked again; None if it does not say."""
    text = answer.headers.get("Retry-After", "")
    return float(text) if text.isascii() and text.isdigit() else None
