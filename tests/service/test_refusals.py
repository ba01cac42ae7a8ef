"""What is refused, by which name; and that the server stays up."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from semildp.service.problems import STATUS
from semildp.service.tokens import new_token
from semildp.wire.codec import decode, encode
from semildp.wire.messages import Report
from tests.service.crowd import Crowd, Crowded
from tests.service.serving import CURATOR, Server, serving, write_study

CASE = Crowded("semi-private", "split", "personal", 400)
LIMITS = {"body_seconds": 1.0, "body_bytes": 20_000, "batch_bytes": 50_000, "head_seconds": 1.0}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("refusals")


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[Server]:
    """One server for all, with invitations."""
    study = write_study(place, CASE.study, people=CASE.n_people)
    with serving(study, f"sqlite:///{place / 'study.sqlite'}", place / "log", limits=LIMITS) as running:
        running.until(1)
        yield running
        assert running.process.poll() is None
        assert running.ask("GET", "/health").status == 200


@pytest.fixture(scope="module")
def crowd() -> Crowd:
    return Crowd(CASE)


def enrol(server: Server, link: str, token: str, body: bytes):
    return server.ask("POST", "/api/people", body, link, Semildp_Person=token)


def test_an_invitation_serves_once(server: Server, crowd: Crowd):
    (link,), token = server.invite(1), new_token()
    assert enrol(server, link, token, crowd.enrolments[0]).status == 201
    again = enrol(server, link, token, crowd.enrolments[0])
    assert (again.status, json.loads(again.body)) == (200, {"person": token})
    other = next(e for e in crowd.enrolments if e != crowd.enrolments[0])
    assert enrol(server, link, token, other).problem == "invitation-used"
    assert enrol(server, link, new_token(), crowd.enrolments[0]).problem == "invitation-used"


def test_a_person_s_token_serves_one_person(server: Server, crowd: Crowd):
    (first, second), token = server.invite(2), new_token()
    assert enrol(server, first, token, crowd.enrolments[0]).status == 201
    assert enrol(server, second, token, crowd.enrolments[0]).problem == "token-used"
    assert enrol(server, second, new_token(), crowd.enrolments[0]).status == 201


@pytest.mark.parametrize(
    "token", ["", "x", new_token(), CURATOR, new_token() + "x", "é" * 43, "a b" + "c" * 40], ids=range(7)
)
def test_guessed_tokens_open_nothing(server: Server, crowd: Crowd, token: str):
    sent = token.encode("latin-1").decode("latin-1")
    calls = [("POST", "/api/people"), ("GET", "/api/question"), ("PUT", "/api/reports/1")]
    for method, path in calls:
        reply = server.ask(method, path, crowd.enrolments[0], sent, Semildp_Person=new_token())
        assert (reply.status, reply.problem) == (401, "unknown-token")


@pytest.mark.parametrize("call", [("GET", "status"), ("GET", "model"), ("GET", "totals"), ("GET", "statement")])
def test_the_curator_s_endpoints_need_the_curator_s_token(server: Server, crowd: Crowd, call: tuple[str, str]):
    (link,), token = server.invite(1), new_token()
    assert enrol(server, link, token, crowd.enrolments[0]).status == 201
    posts = [("POST", "close"), ("POST", "advance"), ("POST", "invitations")]
    for method, what in (call, *posts):
        path, body = f"/api/curator/{what}", b'{"count": 1}' if method == "POST" else None
        assert server.ask(method, path, body).problem == "no-token"
        for wrong in (token, link, new_token(), CURATOR[:-1] + "d"):
            assert server.ask(method, path, body, wrong).problem == "unknown-token"
    assert server.status()["closed"] is None


def test_no_other_token_than_a_bearer_s_is_read(server: Server):
    assert server.ask("GET", "/api/question", None, None, Authorization=f"Basic {CURATOR}").problem == "no-token"
    assert server.ask("GET", f"/api/curator/status?token={CURATOR}").problem == "no-token"


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_pages_of_other_sites_send_nothing(server: Server, crowd: Crowd, site: str):
    (link,) = server.invite(1)
    headers = {"Semildp_Person": new_token(), "Sec_Fetch_Site": site, "Origin": "https://elsewhere.example"}
    reply = server.ask("POST", "/api/people", crowd.enrolments[0], link, **headers)
    assert (reply.status, reply.problem) == (403, "cross-site")
    assert not [name for name in reply.headers if name.startswith("access-control")]
    headers["Sec_Fetch_Site"] = "same-origin"
    reply = server.ask("POST", "/api/people", crowd.enrolments[0], link, **headers)
    assert reply.status == 201
    assert not [name for name in reply.headers if name.startswith("access-control")]


def test_a_browser_s_question_before_a_cross_site_post_is_not_answered_with_leave(server: Server):
    asked = {"Origin": "https://elsewhere.example", "Access_Control_Request_Method": "POST"}
    reply = server.ask("OPTIONS", "/api/people", **asked)
    assert reply.problem == "wrong-method"
    assert not [name for name in reply.headers if name.startswith("access-control")]


BAD_ENROLMENTS = {
    b"": "not-json",
    b"{": "not-json",
    b"\xff": "not-json",
    b"[" * 19_000: "not-json",
    b'{"a":' * 3_000: "not-json",
    b"[]": "wrong-type",
    b'{"message":"enrolment","message":"enrolment"}': "duplicate-field",
    b'{"message":"report"}': "wrong-message",
    b'{"message":"enrolment","version":NaN}': "not-finite",
    b'{"message":"enrolment","version":2}': "wrong-version",
    b"x" * 20_001: "too-large",
}


@pytest.mark.parametrize("body", BAD_ENROLMENTS, ids=lambda b: b[:30].decode("latin-1"))
def test_bad_enrolments_are_refused_by_name(server: Server, body: bytes):
    (link,) = server.invite(1)
    reply = enrol(server, link, new_token(), body)
    assert (reply.status, reply.problem) == (STATUS[BAD_ENROLMENTS[body]], BAD_ENROLMENTS[body])


def test_an_enrolment_of_another_study_is_refused(server: Server):
    (link,) = server.invite(1)
    other = Crowd(Crowded("public-tree", "split", "personal", 1))
    assert enrol(server, link, new_token(), other.enrolments[0]).problem == "wrong-study"


def test_reports_are_refused_alone(server: Server, crowd: Crowd):
    links, who = server.invite(4), [10, 11, 12, 13]
    crowd.enrol(server, who, links)
    asked = crowd.questions(server, who)
    good = crowd.reports(who, asked, crowd.sources["label"])
    bad = encode(Report("0" * 64, ((1,),)))
    far = encode(Report(decode(good[1], Report).question, ((2**50,),)))
    lines = crowd.lines(1, who, [bad, far, good[2], good[3]])
    lines.insert(1, {"person": new_token(), "wave": 1, "report": good[0].decode()})
    lines.insert(2, {"person": crowd.tokens[10]})
    told = server.batch(lines)
    assert told["accepted"] == 2
    assert told["refused"] == [
        {"line": 0, "problem": "wrong-question"},
        {"line": 1, "problem": "unknown-token"},
        {"line": 2, "problem": "bad-request"},
        {"line": 3, "problem": "out-of-domain"},
    ]
    assert server.ask("PUT", "/api/reports/1", good[2], crowd.tokens[12]).status == 200
    assert server.ask("PUT", "/api/reports/1", bad, crowd.tokens[12]).problem == "already-answered"
    assert server.ask("PUT", "/api/reports/2", good[2], crowd.tokens[12]).problem == "not-asked"
    assert server.ask("PUT", f"/api/reports/{10**30}", good[2], crowd.tokens[12]).problem == "not-asked"
    assert server.ask("PUT", "/api/reports/1", good[0], crowd.tokens[10]).status == 201
    reply = server.ask("GET", "/api/question", None, crowd.tokens[12])
    assert (reply.status, reply.headers["semildp-state"]) == (204, "done")


def test_large_bodies_are_not_read(server: Server):
    assert server.ask("POST", "/api/batch", b"x" * 50_001).problem == "too-large"
    with socket.create_connection(("127.0.0.1", server.port)) as line:
        line.sendall(b"POST /api/batch HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        line.sendall(b"ffff\r\n" + b"x" * 0xFFFF + b"\r\n")
        assert b" 413 " in line.recv(1000).split(b"\r\n")[0]


def test_slow_bodies_are_given_up(server: Server):
    with socket.create_connection(("127.0.0.1", server.port)) as line:
        line.settimeout(20)
        line.sendall(b"POST /api/batch HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx")
        assert b" 408 " in line.recv(1000).split(b"\r\n")[0]


def test_slow_heads_are_hung_up_on(server: Server):
    with socket.create_connection(("127.0.0.1", server.port)) as line:
        line.settimeout(20)
        line.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        with pytest.raises(OSError, match=r"Broken pipe|reset"):  # else it waits for a head that never ends
            send_slowly(line, 15)


def send_slowly(line: socket.socket, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        line.sendall(b"x")
        time.sleep(0.2)


def test_large_heads_are_hung_up_on(server: Server):
    with socket.create_connection(("127.0.0.1", server.port)) as line:
        line.settimeout(20)
        try:
            line.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nX-Large: " + b"x" * 10_000_000)
            assert line.recv(1000) == b""
        except OSError:  # it was closed while we were writing
            pass
    assert server.ask("GET", "/health").status == 200


@pytest.mark.parametrize(
    "garbage", [b"\x00" * 100, b"GET\r\n\r\n", b"\x16\x03\x01" * 50, b"PUT /%ff%00 HTTP/1.1\r\nHost: x\r\n\r\n"]
)
def test_what_is_not_http_is_refused(server: Server, garbage: bytes):
    with socket.create_connection(("127.0.0.1", server.port)) as line:
        line.settimeout(20)
        line.sendall(garbage)
        assert b" 500 " not in line.recv(1000)


def test_a_token_that_asks_too_often_has_to_wait(server: Server):
    token = new_token()
    replies = [server.ask("GET", "/api/question", None, token) for _ in range(100)]
    assert replies[-1].problem == "too-many-requests"
    assert int(replies[-1].headers["retry-after"]) > 0
    assert server.ask("GET", "/api/question", None, new_token()).problem == "unknown-token"


def test_every_answer_has_the_safety_headers(server: Server):
    for path in ("/api/study", "/nothing", "/", "/health"):
        headers = server.ask("GET", path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers
    assert server.ask("GET", "/api/study").headers["cache-control"] == "no-store"


def test_paths_lead_nowhere_else(server: Server):
    for path in ("/page/../core.py", "/page/..%2fcore.py", "/page//etc/passwd", "/page/texts.json/x"):
        assert server.ask("GET", path).status == 404
