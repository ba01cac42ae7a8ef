"""Connections that do not wait for ever: a request's head must come in time, and be of a moderate size."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from semildp.service.limits import Limits


def protocol_with(limits: Limits) -> type[asyncio.Protocol]:
    """Return uvicorn's protocol with limits on heads."""

    class Bounded(HttpToolsProtocol):
        """Hangs up on heads that are slow or large."""

        _in_head, _head_bytes = True, 0
        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._timer = self.loop.call_later(limits.head_seconds, transport.close)

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_timer()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if not self._in_head:
                return
            self._head_bytes += len(data)
            if self._head_bytes > limits.head_bytes:
                self.transport.close()
            elif self._timer is None and not self.transport.is_closing():
                self._timer = self.loop.call_later(limits.head_seconds, self.transport.close)

        def on_message_begin(self) -> None:
            self._in_head, self._head_bytes = True, 0
            super().on_message_begin()

        def on_headers_complete(self) -> None:
            self._in_head = False
            self._stop_timer()
            super().on_headers_complete()

        def _stop_timer(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    return Bounded
