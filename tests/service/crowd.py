"""Simulated people for the service: they enrol and answer by HTTP, drawing as the simulation draws."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from semildp.client import People, answer, enrol, ready
from semildp.protocols import protocol_of
from semildp.sources import SeededSource, Source
from semildp.study import Study
from semildp.wire.codec import decode, digest, encode
from semildp.wire.messages import Question
from semildp.wire.people import write_enrolment, write_report
from tests.programs.studies import SEED, Case
from tests.service.serving import Server, each, tokens


@dataclass(frozen=True)
class Crowded(Case):
    """A case with as many people as one likes."""

    people_count: int = 2000

    @property
    def n_people(self) -> int:
        return self.people_count


def sources_of(study: Study, seed: int = SEED) -> dict[str, Source]:
    """The streams of a simulation, fresh."""
    streams = protocol_of(study).streams
    children = np.random.SeedSequence(seed).spawn(len(streams))
    return {name: SeededSource(child) for name, child in zip(streams, children, strict=True)}


class Crowd:
    """People with raw values, each with a token."""

    def __init__(self, case: Crowded, seed: int = SEED) -> None:
        self.study = case.study
        self.sources = sources_of(self.study, seed)
        self.people: People = ready(self.study, *case.people(), self.sources["fill"])
        enrolled = enrol(self.people)
        self.enrolments = [encode(write_enrolment(self.study, enrolled, i)) for i in range(len(self.people))]
        self.tokens = tokens(len(self.people))

    def enrol(self, server: Server, who: Sequence[int], invitations: Sequence[str] | None = None) -> None:
        """Enrol people in order, in one batch."""
        lines: list[dict[str, Any]] = [
            {"person": self.tokens[i], "enrolment": self.enrolments[i].decode()} for i in who
        ]
        if invitations is not None:
            lines = [{**line, "invitation": link} for line, link in zip(lines, invitations, strict=True)]
        told = server.batch(lines)
        assert told == {"accepted": len(lines), "refused": []}

    def questions(self, server: Server, who: Sequence[int]) -> list[bytes]:
        """Fetch everybody's question."""
        replies = each(server, [("GET", "/api/question", None, self.tokens[i]) for i in who])
        assert {reply.status for reply in replies} <= {200}, [r for r in replies if r.status != 200][:3]
        return [reply.body for reply in replies]

    def reports(self, who: Sequence[int], asked: Sequence[bytes], source: Source) -> list[bytes]:
        """Answer questions that differ in their centres only, all at once as the simulation does."""
        questions = [decode(raw, Question) for raw in asked]
        common = msgspec.structs.replace(questions[0], centre=0.0)
        assert all(msgspec.structs.replace(q, centre=0.0) == common for q in questions)
        centres = np.array([q.centre for q in questions])
        sent = answer(self.study, common, self.people[np.array(who, dtype=np.int64)], source, centres)
        return [encode(write_report(digest(raw), sent, i)) for i, raw in enumerate(asked)]

    def lines(self, wave: int, who: Sequence[int], reports: Sequence[bytes]) -> list[dict[str, Any]]:
        """Lines of a batch."""
        return [
            {"person": self.tokens[i], "wave": wave, "report": report.decode()}
            for i, report in zip(who, reports, strict=True)
        ]

    def send(self, server: Server, wave: int, who: Sequence[int], reports: Sequence[bytes], single: int = 25) -> None:
        """Send reports: some singly, the others in a batch; and a few of each once more."""
        calls = [
            ("PUT", f"/api/reports/{wave}", report, self.tokens[i])
            for i, report in zip(who[:single], reports[:single], strict=True)
        ]
        assert {reply.status for reply in each(server, calls)} <= {201}
        assert {reply.status for reply in each(server, calls[:3])} <= {200, 410}
        lines = self.lines(wave, who[single:], reports[single:])
        if lines:
            told = server.batch(lines + lines[:2])
            assert told == {"accepted": len(lines) + len(lines[:2]), "refused": []}, json.dumps(told)[:300]
