"""How large, how slow and how frequent requests may be. No address is looked at."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.requests import Request

from semildp.service.problems import RefusedError


@dataclass(frozen=True)
class Limits:
    """Limits of one server process. All are guesses that leave honest people untouched."""

    body_bytes: int = 2**20  # of one message
    batch_bytes: int = 2**25
    batch_lines: int = 100_000
    body_seconds: float = 20.0
    head_bytes: int = 2**16
    head_seconds: float = 20.0
    token_rate: float = 2.0  # requests a second by one token, in the long run
    token_burst: float = 60.0
    rate: float = 10_000.0  # requests a second by all
    burst: float = 20_000.0
    tokens_watched: int = 20_000
    connections: int = 4096


@dataclass
class Bucket:
    """Fills by `rate` a second up to `burst`; each request takes one."""

    rate: float
    burst: float
    level: float = field(init=False)
    since: float = field(init=False)

    def __post_init__(self) -> None:
        self.level, self.since = self.burst, time.monotonic()

    def take(self, now: float) -> bool:
        """Whether a request may pass."""
        self.level = min(self.burst, self.level + (now - self.since) * self.rate)
        self.since = now
        if self.level < 1:
            return False
        self.level -= 1
        return True


class Gate:
    """Lets requests pass, of everybody together and of each token; by a clock that never jumps."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._clock = limits, clock
        self._all = Bucket(limits.rate, limits.burst)
        self._each: OrderedDict[str, Bucket] = OrderedDict()  # by the token's hash, the least recent first

    def pass_any(self) -> bool:
        """Whether a request may pass at all."""
        return self._all.take(self._clock())

    def check_token(self, token_hash: str) -> None:
        """Refuse a token that is used too often."""
        bucket = self._each.get(token_hash)
        if bucket is None:
            bucket = self._each[token_hash] = Bucket(self._limits.token_rate, self._limits.token_burst)
            if len(self._each) > self._limits.tokens_watched:
                self._each.popitem(last=False)
        else:
            self._each.move_to_end(token_hash)
        if not bucket.take(self._clock()):
            raise RefusedError("too-many-requests")


async def read_body(request: Request, longest: int, seconds: float) -> bytes:
    """Read a body that is neither too long nor too slow."""
    stated = request.headers.get("content-length", "")
    if stated.isdecimal() and int(stated) > longest:
        raise RefusedError("too-large", f"at most {longest} bytes are read here")
    parts, length = list[bytes](), 0
    try:
        async with asyncio.timeout(seconds):
            async for part in request.stream():
                length += len(part)
                if length > longest:
                    raise RefusedError("too-large", f"at most {longest} bytes are read here")
                parts.append(part)
    except TimeoutError:
        raise RefusedError("too-slow", f"a body must arrive within {seconds:g} seconds") from None
    return parts[0] if len(parts) == 1 else b"".join(parts)
