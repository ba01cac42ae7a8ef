"""The files of the pages: read once, sent with their type and a tag by which a browser knows that it has them."""

from __future__ import annotations

import hashlib
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from semildp.service.problems import RefusedError

PAGE = Path(__file__).parent / "page"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
}


class Pages:
    """Serves what is in the folder `page`, and nothing else."""

    def __init__(self, folder: Path = PAGE) -> None:
        self._files: dict[str, tuple[bytes, str, str]] = {}
        for path in sorted(folder.rglob("*")) if folder.is_dir() else []:
            if path.is_file() and path.suffix in TYPES:
                body = path.read_bytes()
                tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
                self._files[path.relative_to(folder).as_posix()] = (body, TYPES[path.suffix], tag)

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/", self.index, methods=["GET"]),
            Route("/curator", self.curator, methods=["GET"]),
            Route("/page/{name:path}", self.file, methods=["GET"]),
        ]

    async def index(self, request: Request) -> Response:
        """The consent page."""
        return self._send(request, "index.html")

    async def curator(self, request: Request) -> Response:
        """The curator's page."""
        return self._send(request, "curator.html")

    async def file(self, request: Request) -> Response:
        """A script, a style, a text."""
        return self._send(request, request.path_params["name"])

    def _send(self, request: Request, name: str) -> Response:
        if name not in self._files:
            raise RefusedError("not-found")
        body, kind, tag = self._files[name]
        headers = {"ETag": tag, "Cache-Control": "no-cache"}
        if tag in (each.strip() for each in request.headers.get("if-none-match", "").split(",")):
            return Response(None, 304, headers)
        return Response(body, 200, {**headers, "Content-Type": kind})
