"""A load generator in a process of its own: prepared requests over many connections that are kept open.

Reads JSON from standard input: the file with the requests (each behind four bytes of its length), the port, how many
connections, and requests a second (null: as fast as answers come). Prints JSON: statuses, seconds, quantiles of the
times to an answer, and the different answers. With a rate, a request's time runs from when it was due, not from when
it could be sent.
"""

from __future__ import annotations

import asyncio
import json
import struct
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

QUANTILES = (0.5, 0.9, 0.99, 0.999)


class Line(asyncio.Protocol):
    """One connection: a request, its answer, the next."""

    def __init__(self, load: Load) -> None:
        self._load, self._left, self._seen = load, -1, b""
        self._due = 0.0

    def connection_made(self, transport: Any) -> None:
        """Begin."""
        self._transport = transport

    def send(self, request: bytes, due: float) -> None:
        """Send one request."""
        self._due = due
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        """Take in an answer; when it is whole, go on."""
        self._seen += data
        head, found, body = self._seen.partition(b"\r\n\r\n")
        if not found:
            return
        start = head.lower().find(b"content-length:")
        length = 0 if start < 0 else int(head[start + 15 :].split(b"\r\n", 1)[0])
        if len(body) >= length:
            self._seen = b""
            self._load.answered(self, int(head[9:12]), body, time.perf_counter() - self._due)


class Load:
    """All connections."""

    def __init__(self, requests: Iterator[bytes], rate: float | None) -> None:
        self._requests, self._rate = requests, rate
        self.statuses: Counter[int] = Counter()
        self.bodies: set[bytes] = set()
        self.times: list[float] = []
        self._idle: list[Line] = []
        self._late: list[tuple[bytes, float]] = []
        self._open = 0
        self.over = asyncio.get_running_loop().create_future()

    def answered(self, line: Line, status: int, body: bytes, seconds: float) -> None:
        """Note an answer, and use the connection again."""
        self.statuses[status] += 1
        self.bodies.add(body)
        self.times.append(seconds)
        self._open -= 1
        if self._rate is None:
            self.next(line)
        elif self._late:
            request, due = self._late.pop(0)
            self._send(line, request, due)
        else:
            self._idle.append(line)

    def next(self, line: Line) -> None:
        """Send the next request now."""
        request = next(self._requests, None)
        if request is not None:
            self._send(line, request, time.perf_counter())
        elif not self._open and not self.over.done():
            self.over.set_result(None)

    def _send(self, line: Line, request: bytes, due: float) -> None:
        self._open += 1
        line.send(request, due)

    async def at_rate(self, lines: list[Line]) -> None:
        """Send requests when they are due."""
        self._idle = list(lines)
        begun = time.perf_counter()
        for k, request in enumerate(self._requests):
            due = begun + k / (self._rate or 1.0)
            while (wait := due - time.perf_counter()) > 0:
                await asyncio.sleep(min(wait, 0.001))
            if self._idle:
                self._send(self._idle.pop(), request, due)
            else:
                self._late.append((request, due))
        while self._open or self._late:
            await asyncio.sleep(0.01)


def read_requests(path: Path) -> Iterator[bytes]:
    """Yield the prepared requests."""
    raw, at = path.read_bytes(), 0
    while at < len(raw):
        (size,) = struct.unpack_from(">I", raw, at)
        yield raw[at + 4 : at + 4 + size]
        at += 4 + size


async def run(order: dict[str, Any]) -> dict[str, Any]:
    """Send everything."""
    loop = asyncio.get_running_loop()
    load = Load(iter(list(read_requests(Path(order["file"])))), order["rate"])
    lines = []
    for _ in range(order["connections"]):
        _, line = await loop.create_connection(lambda: Line(load), "127.0.0.1", order["port"])
        lines.append(line)
    begun = time.perf_counter()
    if order["rate"] is None:
        for line in lines:
            load.next(line)
        await load.over
    else:
        await load.at_rate(lines)
    seconds, times = time.perf_counter() - begun, sorted(load.times)
    quantiles = {str(q): times[min(int(q * len(times)), len(times) - 1)] for q in QUANTILES}
    answers = sorted(body.decode() for body in load.bodies)
    return {"seconds": seconds, "statuses": dict(load.statuses), "quantiles": quantiles, "answers": answers}


if __name__ == "__main__":
    import uvloop

    print(json.dumps(uvloop.run(run(json.load(sys.stdin)))))
