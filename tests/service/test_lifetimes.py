"""Before a study opens, after it closes, with too few people, and a study next to it in the same store."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from semildp.errors import InputError
from semildp.service.core import open_core
from semildp.service.tokens import new_token
from semildp.sources import SystemSource
from semildp.wire.codec import decode
from semildp.wire.messages import Question
from tests.service.crowd import Crowd, Crowded
from tests.service.serving import Server, serving, write_study

CASE = Crowded("public-tree", "split", "aligned", 150)


def answer_all(server: Server, crowd: Crowd, who: range, wave: int = 1) -> list[bytes]:
    reports = []
    for i in who:
        (raw,) = crowd.questions(server, [i])
        reports += crowd.reports([i], [raw], crowd.sources["label"])
    told = server.batch(crowd.lines(wave, who, reports))
    assert told == {"accepted": len(who), "refused": []}
    return reports


def answer_in_turn(server: Server, crowd: Crowd, who: range) -> None:
    """Let people come one after the other, each to the wave that is open then."""
    for i in who:
        while (asked := server.ask("GET", "/api/question", None, crowd.tokens[i])).status == 204:
            time.sleep(0.02)
        (report,) = crowd.reports([i], [asked.body], SystemSource())
        wave = decode(asked.body, Question).wave
        assert server.ask("PUT", f"/api/reports/{wave}", report, crowd.tokens[i]).status == 201


def test_too_few_people_give_no_model_and_leave_no_report(url: str, tmp_path: Path):
    study = write_study(tmp_path, CASE.study, people=150, access="open")
    crowd = Crowd(CASE)
    with serving(study, url, tmp_path / "log") as server:
        server.until(1)
        crowd.enrol(server, range(20))
        reports = answer_all(server, crowd, range(20))
        assert server.curator("GET", "totals").problem == "no-model"
        assert server.curator("POST", "close").status == 202
        status = server.until(99)
        assert (status["outcome"], status["status"], status["model"]) == ("too-few", "closed", None)
        assert server.curator("GET", "model").problem == "no-model"
        assert server.curator("GET", "totals").problem == "no-model"
        assert server.curator("POST", "close").problem == "study-closed"
        assert server.ask("PUT", "/api/reports/1", reports[0], crowd.tokens[0]).problem == "study-closed"
        assert server.ask("GET", "/api/question", None, crowd.tokens[0]).problem == "study-closed"
        late = server.ask("POST", "/api/people", crowd.enrolments[30], None, Semildp_Person=new_token())
        assert late.problem == "study-closed"


def test_estimates_so_far_are_those_of_a_study_that_is_closed_then(url: str, tmp_path: Path):
    case = Crowded("semi-private", "split", "personal", 150)
    study = write_study(tmp_path, case.study, people=150, access="open", minimum=40)
    crowd = Crowd(case)
    with serving(study, url, tmp_path / "log") as server:
        server.until(1)
        assert server.curator("GET", "interim").problem == "no-model"
        assert server.ask("GET", "/api/curator/interim").problem == "no-token"
        crowd.enrol(server, range(60))
        answer_in_turn(server, crowd, range(60))
        server.until(1)
        told = json.loads(server.curator("GET", "interim").body)
        assert (told["final"], told["reports"]) == (False, 60)
        assert json.loads(server.curator("GET", "interim").body) == told
        assert server.status()["outcome"] is None
        assert server.curator("POST", "close").status == 202
        assert server.until(99)["model"] == told["model"]
        assert server.curator("GET", "interim").problem == "study-closed"


def test_a_study_that_is_closed_early_has_the_model_of_what_is_there(url: str, tmp_path: Path):
    study = write_study(tmp_path, CASE.study, people=150, access="open", minimum=50)
    crowd = Crowd(CASE)
    with serving(study, url, tmp_path / "log") as server:
        server.until(1)
        crowd.enrol(server, range(60))
        answer_all(server, crowd, range(60))
        assert server.curator("POST", "close").status == 202
        status = server.until(99)
        assert status["outcome"] == "model"
        assert sum(each["people"] for each in status["model"]["spent"]) == 60
        told = [name for each in status["model"]["found"] for name in each["features"]] + status["model"]["idle"]
        assert sorted(told) == ["a", "b", "c", "d"]
        totals = json.loads(server.curator("GET", "totals").body)
        assert sum(q["reports"] for wave in totals["waves"] for q in wave["questions"]) == 60
        assert "epsilon = 4" in server.curator("GET", "statement").body.decode()


def test_a_wave_without_a_report_waits_for_its_first(url: str, tmp_path: Path):
    study = write_study(tmp_path, CASE.study, people=150, access="open", minimum=1)
    crowd = Crowd(CASE)
    with serving(study, url, tmp_path / "log") as server:
        server.until(1)
        assert server.curator("POST", "advance").status == 202
        crowd.enrol(server, range(1))  # a tick and more goes by
        time.sleep(1)
        status = server.status()
        assert (status["outcome"], status["waves"][-1]["state"]) == (None, "open")
        answer_all(server, crowd, range(1))
        status = server.until(99)
        assert status["outcome"] is not None


def test_nobody_enters_before_it_opens(url: str, tmp_path: Path):
    study = write_study(tmp_path, CASE.study, people=150, access="open")
    study.write_text(study.read_text() + "opens = 2100-01-01T00:00:00Z\n")
    crowd = Crowd(CASE)
    with serving(study, url, tmp_path / "log") as server:
        assert json.loads(server.ask("GET", "/api/collection").body)["status"] == "not-open"
        reply = server.ask("POST", "/api/people", crowd.enrolments[0], None, Semildp_Person=crowd.tokens[0])
        assert (reply.status, reply.problem) == (403, "not-open")


def test_tokens_of_another_study_in_the_same_store_open_nothing(url: str, tmp_path: Path):
    other = Crowded("label-tree", "split", "none", 150)
    crowd, (one, two) = Crowd(CASE), (tmp_path / "one", tmp_path / "two")
    one.mkdir()
    two.mkdir()
    first, second = write_study(one, CASE.study, people=150), write_study(two, other.study, people=150)
    with serving(first, url, tmp_path / "log") as server:
        links = server.invite(2)
        crowd.enrol(server, [0], links[:1])
    with serving(second, url, tmp_path / "log", curator_token="d" * 43) as server:
        body = Crowd(other).enrolments[0]
        assert server.ask("POST", "/api/people", body, links[1], Semildp_Person=new_token()).problem == "unknown-token"
        assert server.ask("GET", "/api/question", None, crowd.tokens[0]).problem == "unknown-token"
        assert server.curator("GET", "status").problem == "unknown-token"
    with serving(first, url, tmp_path / "log") as server:
        assert server.ask("GET", "/api/question", None, crowd.tokens[0]).status == 200


def test_enrol_first_takes_exactly_the_people_it_expects_or_who_came_when_it_is_advanced(url: str, tmp_path: Path):
    study = write_study(tmp_path, CASE.study, people=150, access="open", visits="enrol-first", minimum=10)
    crowd = Crowd(CASE)
    with serving(study, url, tmp_path / "log") as server:
        crowd.enrol(server, range(40))
        reply = server.ask("GET", "/api/question", None, crowd.tokens[0])
        assert (reply.status, reply.headers["semildp-state"]) == (204, "waiting")
        assert server.curator("POST", "advance").status == 202
        assert server.until(1)["waves"][-1]["asked"] == 40
        late = server.ask("POST", "/api/people", crowd.enrolments[50], None, Semildp_Person=new_token())
        assert late.problem == "enrolment-over"
        reports = answer_all(server, crowd, range(20))
        assert server.curator("POST", "advance").status == 202
        assert server.until(99)["outcome"] == "model"
        assert server.ask("PUT", "/api/reports/1", reports[0], crowd.tokens[30]).problem == "study-closed"


def test_a_study_that_has_begun_is_collected_as_it_began(tmp_path: Path):
    """Waves are planned for so many people, and planned again by each process that starts."""
    url = f"sqlite:///{tmp_path / 'study.sqlite'}"
    for people in (150, 150):
        open_core(write_study(tmp_path, CASE.study, people=people, access="open"), url).store.engine.dispose()
    with pytest.raises(
        InputError, match=r"as it began: one-visit with people = 150\. Got visits = 'one-visit', people = 151"
    ):
        open_core(write_study(tmp_path, CASE.study, people=151, access="open"), url)
    with pytest.raises(InputError, match="Put them back"):
        open_core(write_study(tmp_path, CASE.study, people=150, access="open", visits="enrol-first"), url)
