"""People over real HTTP give the model of the simulation, to the last byte, for every protocol and both stores."""

from __future__ import annotations

from pathlib import Path

import pytest

from semildp.arrivals import with_centre
from semildp.curator.intake import question_bytes
from semildp.protocols import PROTOCOLS, asks_newcomers
from semildp.running import Planned, Running
from semildp.simulate import simulate
from semildp.sources import SystemSource
from semildp.wire.codec import decode
from semildp.wire.messages import Question
from tests.programs.studies import SEED
from tests.service.crowd import Crowd, Crowded, sources_of
from tests.service.serving import serving, write_study

CASES = [
    Crowded("semi-private", "split", "personal"),
    Crowded("semi-private", "both", "aligned"),
    Crowded("hist-of-tree", "both", "aligned"),
    Crowded("hist-of-tree-joint", "split", "personal"),
    Crowded("hist-of-tree-joint", "split", "personal", classes=True),
    Crowded("public-tree", "split", "personal"),
    Crowded("label-tree", "split", "none"),
    Crowded("randomized-features", "split", "personal"),
    Crowded("private-histogram", "split", "aligned"),
    Crowded("hist-of-tree-density", "split", "personal"),
]


def test_every_protocol_is_here():
    assert {case.protocol for case in CASES} == set(PROTOCOLS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_enrol_first_gives_the_simulation_s_model(case: Crowded, url: str, tmp_path: Path):
    simulated = simulate(case.study, *case.people(), sources=sources_of(case.study))
    study = write_study(tmp_path, case.study, people=case.n_people, access="open", visits="enrol-first")
    crowd = Crowd(case)
    with serving(study, url, tmp_path / "log", seed=SEED) as server:
        crowd.enrol(server, range(case.n_people))
        for number, done in enumerate(simulated.state.done, 1):
            assert server.until(number)["waves"][-1]["wave"] == number
            for asked in done.wave.asked:
                who = asked.people.tolist()
                if not who:
                    continue
                raw = crowd.questions(server, who)
                assert raw == [question_bytes(asked, i) for i in range(len(who))]
                crowd.send(server, number, who, crowd.reports(who, raw, crowd.sources[done.wave.stream]))
        assert server.until(number + 1)["outcome"] == "model"
        assert server.curator("GET", "model").body == simulated.model.to_json()


@pytest.mark.parametrize("case", [c for c in CASES if asks_newcomers(c.study)], ids=lambda case: case.name)
def test_one_visit_gives_the_model_of_the_same_messages_in_one_process(case: Crowded, url: str, tmp_path: Path):
    study = write_study(tmp_path, case.study, people=case.n_people, access="open")
    crowd, running = Crowd(case), Running(case.study, SEED, case.n_people)
    came, step = 0, running.plan()
    with serving(study, url, tmp_path / "log", seed=SEED) as server:
        while isinstance(step, Planned):
            assert server.until(step.wave)["waves"][-1]["wave"] == step.wave
            who = range(came, came + (step.wanted or 0))
            came += len(who)
            crowd.enrol(server, who)
            rows = []
            for i, raw in zip(who, crowd.questions(server, who), strict=True):
                centre = decode(raw, Question).centre
                place = [with_centre(template, centre) for template in step.questions].index(raw)
                rows.append((i, place, centre, crowd.reports([i], [raw], SystemSource())[0]))
            crowd.send(server, step.wave, who, [row[3] for row in rows])
            running.enrol([crowd.enrolments[i] for i in who])
            running.collect(step.questions, rows)
            step = running.plan()
        assert server.until(99)["outcome"] == "model"
        assert server.curator("GET", "model").body == step.to_json()
