"""A stand-in for the collection server: follows its table of paths, for one study at a time, and records what comes.

Besides the table it has `POST /test/set`, by which a test chooses what happens next, and `GET /test/got`.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.browser.scene import QUESTIONS, SCENES

PAGE = Path(os.environ.get("SEMILDP_PAGE", Path(__file__).parents[2] / "src/semildp/service/page"))
TYPES = {".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".html": "text/html"}
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Stub:
    """What the server knows, and what a test has told it to do."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.reset({})

    def reset(self, told: dict[str, Any]) -> None:
        """Forget everything; `told` has `scene`, `question`, `status`, `asking`, `fail` (so many requests are lost)."""
        self.told = {"scene": "sleep", "question": "pair", "status": "enrolling", "asking": True, "fail": 0, **told}
        self.people: dict[str, dict[str, str]] = {}  # by hash of the token
        self.reports: dict[str, str] = {}
        self.requests: list[list[str]] = []  # everything that was sent to the API

    @property
    def study(self) -> bytes:
        return SCENES[self.told["scene"]][0].to_json()

    @property
    def collection(self) -> dict[str, Any]:
        return {**SCENES[self.told["scene"]][1], "status": self.told["status"], **self.told.get("collection", {})}

    @property
    def texts(self) -> Any:
        texts = json.loads((PAGE / "texts.json").read_text("utf-8"))
        if not self.told.get("translated"):
            return texts
        marked = {
            group: {k: f"⟦{v}⟧" for k, v in each.items()} for group, each in texts.items() if isinstance(each, dict)
        }
        return {**texts, **marked, "lang": "de", "dir": "rtl"}

    @property
    def question(self) -> bytes:
        return QUESTIONS[self.told["question"]]


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    stub: Stub

    def log_message(self, *_: Any) -> None:
        """Be silent."""

    def do_GET(self) -> None:
        self.answer("GET", b"")

    def do_POST(self) -> None:
        self.answer("POST", self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def do_PUT(self) -> None:
        self.answer("PUT", self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def answer(self, method: str, body: bytes) -> None:
        stub, path = self.stub, self.path.split("?")[0]
        with stub.lock:
            if path == "/test/set":
                told = json.loads(body)
                stub.reset(told) if told.pop("reset", False) else stub.told.update(told)
                return self.reply(200, {})
            if path == "/test/got":
                return self.reply(200, {"people": stub.people, "reports": stub.reports, "requests": stub.requests})
            if not path.startswith("/api/"):
                return self.file(path)
            stub.requests.append([method, path, body.decode(), *sorted(f"{k}: {v}" for k, v in self.headers.items())])
            if stub.told["fail"] > 0 and path != "/api/texts":
                stub.told["fail"] -= 1
                return self.reply(503, {"problem": "busy"})
            return self.api(method, path, body.decode())

    def api(self, method: str, path: str, body: str) -> None:
        stub = self.stub
        if (method, path) == ("GET", "/api/study"):
            return self.reply(200, stub.study)
        if (method, path) == ("GET", "/api/collection"):
            return self.reply(200, stub.collection)
        if (method, path) == ("GET", "/api/texts"):
            return self.reply(200, stub.texts)
        if (method, path) == ("POST", "/api/people"):
            return self.enrol(self.bearer(), self.headers["Semildp-Person"], body)
        person = hashlib.sha256(self.bearer().encode()).hexdigest()
        if person not in stub.people:
            return self.problem(401, "unknown-token")
        if (method, path) == ("GET", "/api/question"):
            return self.ask(person)
        if method == "PUT" and path.startswith("/api/reports/"):
            return self.report(person, body)
        return self.problem(404, "not-found")

    def bearer(self) -> str:
        return str(self.headers.get("Authorization", "")).removeprefix("Bearer ")

    def enrol(self, invitation: str, token: str, enrolment: str) -> None:
        stub, person = self.stub, hashlib.sha256(token.encode()).hexdigest()
        assert len(token) == 43
        if stub.collection["access"] == "invitation" and not invitation.startswith("invited-"):
            return self.problem(401, "unknown-token")
        entry = {"invitation": invitation, "enrolment": enrolment}
        if stub.people.get(person) == entry:
            return self.reply(200, {})
        if invitation and any(each["invitation"] == invitation for each in stub.people.values()):
            return self.problem(409, "invitation-used")
        stub.people[person] = entry
        return self.reply(201, {})

    def ask(self, person: str) -> None:
        if self.stub.told["status"] == "closed":
            return self.problem(410, "study-closed")
        if person in self.stub.reports:
            return self.reply(204, b"", {"Semildp-State": "answered", "Retry-After": "600"})
        if not self.stub.told["asking"]:
            return self.reply(204, b"", {"Semildp-State": "waiting", "Retry-After": "60"})
        return self.reply(200, self.stub.question)

    def report(self, person: str, body: str) -> None:
        if self.stub.told.get("over"):
            return self.problem(410, "wave-over")
        known = self.stub.reports.get(person)
        if known is not None and known != body:
            return self.problem(409, "already-answered")
        self.stub.reports[person] = body
        return self.reply(200 if known else 201, {})

    def file(self, path: str) -> None:
        name = "index.html" if path == "/" else path.removeprefix("/page/")
        place = (PAGE / name).resolve()
        if not place.is_relative_to(PAGE) or not place.is_file():
            return self.problem(404, "not-found")
        return self.reply(200, place.read_bytes(), {"Content-Type": TYPES[place.suffix]})

    def problem(self, status: int, name: str) -> None:
        said = {"problem": name, "title": name, "detail": f"the stand-in says {name}"}
        self.reply(status, said, {"Content-Type": "application/problem+json"})

    def reply(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        security = {
            "Content-Security-Policy": CSP,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
        }
        for name, value in {"Content-Type": "application/json", **security, **(headers or {})}.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        if status != 204:
            self.wfile.write(raw)


def serve(port: int = 0) -> ThreadingHTTPServer:
    """Start the stand-in in a thread of its own; `server_address` says where."""
    handler = type("Handler", (Handler,), {"stub": Stub()})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
