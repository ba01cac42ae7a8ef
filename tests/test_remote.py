"""The client over HTTP: the same bytes again, refusals by name, no raw value in anything that is sent."""

from __future__ import annotations

import json

import httpx
import pytest

from semildp.client import Device, Ledger
from semildp.errors import InputError
from semildp.remote import Curator, Http, RemoteError, Server, invitation_link, read_link
from semildp.remote.cards import cards_html, links_csv, links_of
from semildp.remote.links import is_plain
from semildp.wire.codec import decode
from semildp.wire.messages import Enrolment, Report
from tests.collecting import ADDRESS, CURATOR, STUDY, StandIn, problem

TOKEN = "t" * 43


def device(values=(44.0625, "night", 0.8125), label=7.3125, hidden=("work",)):
    return Device(STUDY, list(values), label, list(hidden), Ledger(2.0))


def test_a_person_enrols_is_asked_and_answers():
    there = StandIn()
    server = Server(there.http())
    assert server.study() == STUDY
    assert server.collection().visits == "one-visit"
    visit = server.visit(device())
    visit.enrol()
    assert visit.step().state == "answered"
    assert visit.step().state == "done"
    assert decode(there.enrolled[visit.token], Enrolment).public == (44.0625, None, None)
    assert isinstance(decode(there.reports[visit.token], Report), Report)


def test_nothing_private_is_in_anything_that_is_sent():
    """The label, a hidden number and a hidden category, as text or as bytes of any request."""
    there = StandIn()
    visit = Server(there.http()).visit(device(), TOKEN)
    visit.enrol()
    visit.step()
    everything = b"".join(" ".join(sent[:3]).encode() + sent[3] for sent in there.sent)
    assert b"44.0625" in everything
    assert not [secret for secret in (b"7.3125", b"0.8125", b"night") if secret in everything]


@pytest.mark.parametrize("broken", [0, 1, 2, 3])
def test_what_may_not_have_arrived_is_sent_again_with_the_same_bytes(broken):
    """A connection that breaks, a busy server, a proxy without one: each request fails so often, then gets through."""
    there, counts = StandIn(), {}
    failures = [
        lambda: (_ for _ in ()).throw(httpx.ReadError("gone")),
        lambda: httpx.Response(502),
        lambda: problem(503, "busy"),
    ]

    def fail(request):
        key = (request.method, request.url.path)
        counts[key] = counts.get(key, 0) + 1
        return failures[counts[key] % 3]() if counts[key] <= broken else None

    there.fail = fail
    visit = Server(there.http()).visit(device(), TOKEN)
    visit.enrol()
    assert visit.step().state == "answered"
    by_request = {}
    for method, path, token, body in there.sent:
        by_request.setdefault((method, path), []).append((token, body))
    assert all(len(tries) == broken + 1 and len(set(tries)) == 1 for tries in by_request.values())


def test_a_server_that_says_when_to_come_again_is_obeyed():
    there = StandIn()
    answers = iter(
        [httpx.Response(429, headers={"Retry-After": "7"}), httpx.Response(503, headers={"Retry-After": "9999"})]
    )
    there.fail = lambda request: next(answers, None)
    Server(there.http()).study()
    assert there.waits == [7.0, 20.0]


def test_what_must_not_arrive_twice_is_not_repeated_unless_it_cannot_have_arrived():
    there = StandIn()

    def lost(request):
        raise httpx.ReadTimeout("no answer")

    there.fail = lost
    with pytest.raises(RemoteError, match="tried once"):
        Curator(there.http(), CURATOR).invitations(5)

    def refused(request):
        raise httpx.ConnectError("refused")

    there.fail = refused
    with pytest.raises(RemoteError, match="tried 4 times"):
        Curator(there.http(), CURATOR).invitations(5)


def test_a_server_that_is_not_there_is_named_with_what_was_tried():
    with pytest.raises(
        RemoteError, match=r"GET http://127\.0\.0\.1:9/api/study was tried 2 times.*Is it running"
    ) as caught:
        Server(Http("http://127.0.0.1:9", tries=2, sleep=lambda seconds: None)).study()
    assert caught.value.problem == "unreachable"


@pytest.mark.parametrize(
    ("answer", "name", "sentence"),
    [
        (problem(409, "invitation-used", "it was used"), "invitation-used", "refused POST /api/people .*: it was used"),
        (httpx.Response(404, content=b"<h1>Apache"), "not-semildp", "Is there a collection server of semildp"),
        (httpx.Response(302, headers={"Location": "https://x.test/"}), "moved", "leads to https://x.test/. Give that"),
        (httpx.Response(500, content=b""), "not-semildp", "status 500"),
    ],
)
def test_refusals_are_named(answer, name, sentence):
    there = StandIn()
    there.fail = lambda request: answer
    with pytest.raises(RemoteError, match=sentence) as caught:
        Server(there.http()).visit(device()).enrol()
    assert caught.value.problem == name
    assert isinstance(caught.value, InputError)


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (problem(410, "study-closed"), "closed"),
        (httpx.Response(204, headers={"Semildp-State": "waiting", "Retry-After": "3"}), "waiting"),
        (httpx.Response(204, headers={"Semildp-State": "done"}), "done"),
        (httpx.Response(204), "waiting"),
    ],
)
def test_where_nothing_is_asked(answer, state):
    there = StandIn()
    there.fail = lambda request: answer if request.url.path == "/api/question" else None
    step = Server(there.http()).visit(device()).step()
    assert step.state == state
    assert (step.wait > 0) == (state == "waiting")


def test_a_report_that_comes_late():
    there = StandIn()
    there.fail = lambda request: problem(410, "wave-over") if request.method == "PUT" else None
    assert Server(there.http()).visit(device()).step().state == "late"


def test_a_study_that_is_read_otherwise_is_refused():
    there = StandIn()
    there.fail = lambda request: httpx.Response(200, content=STUDY.to_json() + b" ")
    with pytest.raises(RemoteError, match="Its digest differs"):
        Server(there.http()).study()


def test_the_curator_s_requests_bear_the_token():
    there = StandIn()
    curator = Curator(there.http(), CURATOR)
    assert curator.status() == {"name": "status"}
    assert curator.close() == {"name": "close"}
    assert json.loads(curator.model()) == {"name": "model"}
    assert len(curator.invitations(10_001)) == 10_001
    assert [json.loads(body) for _, path, _, body in there.sent if "invitations" in path] == [
        {"count": 10_000},
        {"count": 1},
    ]
    assert {token for _, _, token, _ in there.sent} == {CURATOR}
    with pytest.raises(RemoteError, match="must be that of this study"):
        Curator(there.http(), TOKEN).status()


@pytest.mark.parametrize("token", ["", "two words", "é" * 43, "a\nb"])
def test_tokens_that_cannot_be_sent_are_refused(token):
    with pytest.raises(InputError, match="curator's token must be one word"):
        Curator(StandIn().http(), token)


def test_links():
    link = invitation_link("https://study.example.org/", TOKEN)
    assert link == f"https://study.example.org/#{TOKEN}"
    assert read_link(link) == ("https://study.example.org", TOKEN)
    assert read_link("http://127.0.0.1:8000/sub/") == ("http://127.0.0.1:8000/sub", None)
    assert [is_plain(a) for a in ("http://a.test", "https://a.test", "http://127.0.0.1:8000")] == [True, False, False]


@pytest.mark.parametrize(
    "link", ["study.example.org", "ftp://x", "http://", "https://a:b@c", "https://a?b", "http://a:x", 7]
)
def test_addresses_that_are_none(link):
    with pytest.raises(InputError, match="must look like https://"):
        read_link(link)


def test_half_a_link_is_refused():
    with pytest.raises(InputError, match="Copy the whole link"):
        read_link("https://study.example.org/#abc")


def test_cards_have_a_code_for_each_link_and_load_nothing():
    links = links_of(ADDRESS, [f"{k:043d}" for k in range(3)])
    assert links_csv(links).splitlines() == ["number,link", *(f"{k + 1},{link}" for k, link in enumerate(links))]
    page = cards_html("Sleep & <work>", links)
    assert page.count("<svg") == 3
    assert "Sleep &amp; &lt;work&gt;" in page
    assert "<work>" not in page
    assert not [word for word in ("<script", "src=", "href=", "@import", "url(") if word in page]
