"""Serving a study: `serve` runs until it is told to stop, then finishes what is under way."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import uvicorn
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from semildp.service.app import build_app
from semildp.service.clock import Clock, system_clock
from semildp.service.connections import protocol_with
from semildp.service.core import Core, open_core
from semildp.service.limits import Limits
from semildp.service.logs import start_logs

CURATOR_TOKEN = "SEMILDP_CURATOR_TOKEN"  # nosec B105
STOP_SECONDS = 20  # for requests under way


def serve(
    study_path: str | Path,
    database_url: str | None = None,
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    curator_token: str | None = None,
    limits: Limits | None = None,
    clock: Clock = system_clock,
    seed: int | None = None,
    tick_seconds: float = 1.0,
    lease_seconds: int = 15,
    log_level: str = "INFO",
    extra_routes: Callable[[Core], Sequence[BaseRoute]] = lambda core: (),
) -> None:
    """Serve a study until SIGTERM or SIGINT.

    Parameters
    ----------
    study_path
        The study's TOML file, with the table [collection].
    database_url
        sqlite:///file or postgresql://...; by default a SQLite file beside the study's.
    host, port
        Where to listen: this machine only, unless another address is given. Port 0: any that is free.
    curator_token
        By default that of the environment (SEMILDP_CURATOR_TOKEN); else one is made with the study, and printed once.
    limits, clock, seed, tick_seconds, lease_seconds, log_level, extra_routes
        For operators with other needs, and for tests.
    """
    start_logs(log_level)
    path = Path(study_path)
    url = database_url or f"sqlite:///{path.with_suffix('.sqlite').absolute()}"
    token = curator_token or os.environ.get(CURATOR_TOKEN) or None
    core = open_core(
        path,
        url,
        curator_token=token,
        limits=limits,
        clock=clock,
        seed=seed,
        tick_seconds=tick_seconds,
        lease_seconds=lease_seconds,
    )
    _quieten_collector()
    config = _config(build_app(core, extra_routes(core)), host, port, core.limits)
    _Server(config, core.new_curator_token).run()


def _config(app: ASGIApp, host: str, port: int, limits: Limits) -> uvicorn.Config:
    """Return uvicorn's settings: no log of requests, no word of other servers' addresses, and the limits."""
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        http=protocol_with(limits),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=limits.connections,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=STOP_SECONDS,
        ws="none",
    )


def _quieten_collector() -> None:
    """Let Python's garbage collector pass over what was loaded at the start: it would look through it for ever."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)  # by trial: requests leave no cycles behind


class _Server(uvicorn.Server):
    """Says where it listens, and shows a new curator's token once, on standard output."""

    def __init__(self, config: uvicorn.Config, token: str | None) -> None:
        super().__init__(config)
        self._token = token

    async def startup(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        await super().startup(sockets)  # type: ignore[arg-type]
        if not self.started:
            return
        port = self.servers[0].sockets[0].getsockname()[1]
        print(f"Listening on http://{self.config.host}:{port}", flush=True)
        if self._token is not None:
            print(f"Curator's token (shown only now): {self._token}", file=sys.stdout, flush=True)
