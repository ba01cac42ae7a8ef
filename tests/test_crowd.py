"""Simulated people: within the domains, the same again for a seed; and what becomes of them."""

from __future__ import annotations

import itertools
import math

import httpx
import numpy as np
import pytest

from semildp.crowd import Crowd, made_up, people_of_table
from semildp.crowd.invitations import read_invitations
from semildp.crowd.told import outcome_lines
from semildp.errors import InputError
from semildp.remote import RemoteError, Server
from semildp.tables import open_table
from tests.collecting import STUDY, StandIn, problem


def guests(count, seed=1):
    return zip(made_up(STUDY, count, 0.5, seed), itertools.repeat(None))


def test_made_up_people_are_within_the_domains_and_choose_for_themselves():
    people = list(made_up(STUDY, 400, 0.5, 3))
    ages, works, xs = zip(*(person.values for person in people), strict=True)
    assert all(18 <= age <= 98 for age in ages)
    assert set(works) == {"day", "night"}
    assert all(0 <= x <= 1 for x in xs)
    assert all(0 <= person.label <= 10 for person in people)
    assert all("x" in person.hidden for person in people)  # private for everyone
    hiding = sum("age" in person.hidden for person in people)
    assert abs(hiding - 200) < 6 * 10  # six standard deviations: wrong once in 10**9


def test_the_label_depends_on_the_features():
    """Correlation with the first feature; under independence it is beyond 0.3 once in 10**8 for 400 people."""
    people = list(made_up(STUDY, 400, 0.0, 3))
    assert np.corrcoef([p.values[0] for p in people], [p.label for p in people])[0, 1] > 0.3


def test_a_seed_gives_the_same_people_and_none_gives_others():
    def told(seed):
        return [(p.values, p.label, p.hidden, p.source.words(2).tolist()) for p in made_up(STUDY, 5, 0.5, seed)]

    assert told(7) == told(7)
    assert told(7) != told(8)
    assert told(None) != told(None)


def test_people_of_a_table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("work,age,wage\nnight,30,2\n,40,\n")
    with open_table(path) as table:
        first, second = people_of_table(STUDY, table, "wage", 0.0, 1)
    assert (first.values, first.label, first.hidden) == ([30.0, "night", None], 2.0, ["x"])
    assert second.values == [40.0, None, None]
    assert second.hidden == ["work", "x"]  # who lacks a value hides it
    assert math.isnan(second.label)
    with open_table(path) as table, pytest.raises(InputError, match=r"must have a column 'label'.*--label-column"):
        list(people_of_table(STUDY, table, "label", 0.0, 1))


@pytest.mark.parametrize(("hide", "seed", "what"), [(1.5, 1, "--hide"), (math.nan, 1, "--hide"), (0.5, -1, "--seed")])
def test_options_that_cannot_be_used(hide, seed, what):
    with pytest.raises(InputError, match=what):
        list(made_up(STUDY, 3, hide, seed))


def test_everybody_gets_through():
    there, through = StandIn(), []
    crowd = Crowd(Server(there.http()), STUDY, workers=4, progress=through.append)
    outcome = crowd.visit(guests(300))
    assert (outcome.people, outcome.enrolled, outcome.reports, outcome.waiting) == (300, 300, 300, 0)
    assert len(there.reports) == len(there.enrolled) == 300
    assert sum(through) == 300
    assert "300 reports were taken" in outcome_lines(outcome)[0]


def test_who_waits_comes_again_and_leaves_when_nothing_happens():
    there, slept, now = StandIn(), [], itertools.count()
    turns = itertools.count()
    waiting = httpx.Response(204, headers={"Semildp-State": "waiting", "Retry-After": "10"})
    there.fail = lambda request: waiting if request.url.path == "/api/question" and next(turns) < 7 else None
    crowd = Crowd(Server(there.http()), STUDY, workers=1, patience=1e9, sleep=slept.append)
    assert crowd.visit(guests(3)).reports == 3
    assert slept == [0.0, 1.0, 0.0]  # at once where reports have come, else after a second
    there.fail = lambda request: waiting if request.url.path == "/api/question" else None
    crowd = Crowd(Server(there.http()), STUDY, patience=20, sleep=slept.append, clock=lambda: float(next(now)))
    outcome = crowd.visit(guests(3))
    assert (outcome.waiting, outcome.reports) == (3, 0)
    assert any("3 people are still to be asked" in line for line in outcome_lines(outcome))


def test_where_people_enrol_first_they_come_back_until_they_are_done():
    there = StandIn(visits="enrol-first")
    assert Crowd(Server(there.http()), STUDY, sleep=lambda s: None).visit(guests(5)).reports == 5
    assert sum(path == "/api/question" for _, path, _, _ in there.sent) == 10


def test_refusals_are_counted_by_name():
    there, turns = StandIn(), itertools.count()
    there.question = there.question.replace(b'"epsilon":2.0', b'"epsilon":1.0')  # thresholds of another epsilon

    def fail(request):
        if request.url.path == "/api/people":
            return {0: problem(409, "invitation-used"), 1: problem(410, "study-closed")}.get(next(turns))
        return None

    there.fail = fail
    outcome = Crowd(Server(there.http()), STUDY, workers=1).visit(guests(4))
    assert (outcome.enrolled, outcome.closed) == (2, 1)
    assert outcome.refused == {"invitation-used": 1, "device: broken-claim": 2}
    assert "1 was refused: invitation-used." in outcome_lines(outcome)


def test_without_a_server_nobody_goes_on():
    there = StandIn()
    server = Server(there.http(tries=2))
    crowd = Crowd(server, STUDY)

    def gone(request):
        raise httpx.ConnectError("refused")

    there.fail = gone
    with pytest.raises(RemoteError, match="could not be reached"):
        crowd.visit(guests(1000))
    assert len(there.sent) < 2 * 300  # one chunk at most


def test_invitations_from_a_file(tmp_path):
    path = tmp_path / "links.csv"
    path.write_text(f"number,link\n1,https://a.test/#{'a' * 43}\n")
    assert list(read_invitations(path)) == ["a" * 43]
    path.write_text("number,link\n1,https://a.test/\n")
    with pytest.raises(InputError, match="which end in # and a token"):
        list(read_invitations(path))
    path.write_text("number\n1\n")
    with pytest.raises(InputError, match="must have a column 'link'"):
        list(read_invitations(path))
