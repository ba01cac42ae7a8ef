"""Studies whose server is killed again and again while people send and while waves advance; then the books are checked.

Every report is a line in the people's own book once it was acknowledged. After each kill the store must have all of
them, byte for byte. In the end the model must be that of the acknowledged messages, computed in one process: a report
that is lost or counted twice, or a wave that is planned twice, would change it. In the first wave of the label's grid
everybody sends a number of their own, so that the published totals must have each number once.
"""

from __future__ import annotations

import http.client
import json
import random
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, text

from semildp.running import Planned, Running
from semildp.sources import SystemSource
from semildp.wire.codec import decode, digest, encode
from semildp.wire.messages import Question, Report
from tests.programs.studies import SEED
from tests.service.crowd import Crowd, Crowded
from tests.service.serving import Reply, Server, start, write_study

PATIENCE = 120.0  # seconds until an upload is given up
CASES = (Crowded("hist-of-tree", "both", "aligned", 300), Crowded("semi-private", "split", "personal", 600))


@dataclass
class Tally:
    """What was seen over all studies."""

    kills: int = 0
    while_advancing: int = 0
    acknowledged: int = 0
    studies: int = 0
    waves: int = 0


@dataclass
class Killed:
    """One study on servers that are killed."""

    case: Crowded
    url: str
    folder: Path
    tally: Tally
    most: int
    chance: random.Random
    ports: tuple[int, ...]
    book: dict[tuple[int, int], bytes] = field(default_factory=dict)  # (person, wave): acknowledged
    asked: dict[tuple[int, int], bytes] = field(default_factory=dict)
    _servers: list[Server] = field(default_factory=list)
    _over: threading.Event = field(default_factory=threading.Event)
    _uploading: threading.Event = field(default_factory=threading.Event)
    _complete: threading.Event = field(default_factory=threading.Event)
    _faults: list[BaseException] = field(default_factory=list)

    def run(self) -> None:
        """Conduct the study while a killer is at work."""
        path = write_study(self.folder, self.case.study, people=self.case.n_people, access="open", visits="enrol-first")
        log = self.folder / "log"
        self._again: Callable[[int], Server] = lambda port: start(path, self.url, log, port=port, seed=SEED)
        self._servers = [self._again(port) for port in self.ports]
        killer = threading.Thread(target=self._kill_often)
        killer.start()
        try:
            model = self._conduct()
        finally:
            self._over.set()
            killer.join()
            for server in self._servers:
                server.kill()
            if self._faults:
                raise self._faults[0]
        self._check_end(model, log)
        self.tally.studies += 1
        self.tally.acknowledged += len(self.book)

    # The killer

    def _kill_often(self) -> None:
        try:
            while not self._over.is_set() and self.tally.kills < self.most:
                if self._complete.is_set() and self.chance.random() < 0.7:  # while the wave is advanced
                    self._complete.clear()
                    time.sleep(self.chance.uniform(0, 0.4))
                elif self._uploading.is_set():
                    time.sleep(self.chance.uniform(0, 0.7))
                else:
                    time.sleep(0.01)
                    continue
                if self._over.is_set():
                    return
                place = self.chance.randrange(len(self._servers))
                before = dict(self.book)
                self._servers[place].kill()
                self.tally.kills += 1
                self._check_kept(before)
                self._servers[place] = self._again(self.ports[place])
        except BaseException as fault:
            self._faults.append(fault)

    def _check_kept(self, before: dict[tuple[int, int], bytes]) -> None:
        """What was acknowledged before the kill is in the store, unless the model has been made of it."""
        one_state = {} if self.url.startswith("sqlite") else {"isolation_level": "REPEATABLE READ"}
        engine = create_engine(self.url.replace("postgresql:", "postgresql+psycopg:"), **one_state)
        with engine.connect() as connection:
            outcome = connection.execute(text("SELECT outcome FROM study")).scalar()
            kept = {(p, w): b.encode() for p, w, b in connection.execute(text("SELECT person, wave, body FROM report"))}
            waves = connection.execute(text("SELECT number, state, received FROM wave ORDER BY number")).all()
        engine.dispose()
        self.tally.while_advancing += waves[-1][1] == "closing"
        if outcome is None:
            lost = {key: body for key, body in before.items() if kept.get(key) != body}
            assert not lost, f"{len(lost)} acknowledged reports are lost"
            for number, _, received in waves:
                assert received == sum(w == number for _, w in kept), "a wave's count is not that of its reports"

    # The people

    def _ask(self, method: str, path: str, body: bytes | None = None, token: str | None = None) -> Reply:
        """Send a request until somebody answers."""
        end = time.monotonic() + PATIENCE
        while True:
            if self._faults:
                raise AssertionError("the killer has found a fault")
            try:
                server = self.chance.choice(self._servers)
                connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
                try:
                    headers = {"Authorization": f"Bearer {token}"} if token else {}
                    connection.request(method, path, body, headers)
                    answer = connection.getresponse()
                    reply = Reply(answer.status, answer.read(), dict(answer.getheaders()))
                finally:
                    connection.close()
                if reply.status not in (429, 503):
                    return reply
            except (TimeoutError, OSError, http.client.HTTPException):
                pass
            assert time.monotonic() < end, "nobody answers"
            time.sleep(0.02)

    def _status(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self._ask("GET", "/api/curator/status", None, "c" * 43).body)
        return told

    def _conduct(self) -> bytes:
        """Enrol everybody, answer waves until there is a model."""
        crowd = Crowd(self.case)
        self.crowd = crowd
        lines = [{"person": t, "enrolment": e.decode()} for t, e in zip(crowd.tokens, crowd.enrolments, strict=True)]
        for at in range(0, len(lines), 50):
            reply = self._ask("POST", "/api/batch", "\n".join(map(json.dumps, lines[at : at + 50])).encode())
            assert json.loads(reply.body) == {"accepted": len(lines[at : at + 50]), "refused": []}, reply
        answered = 0
        while True:
            status = self._status()
            if status["outcome"]:
                assert status["outcome"] == "model", status
                return self._ask("GET", "/api/curator/model", None, "c" * 43).body
            newest = status["waves"][-1]
            if newest["state"] != "open" or newest["wave"] <= answered:
                time.sleep(0.02)
                continue
            self._complete.clear()
            answered = newest["wave"]
            self._uploading.set()
            with ThreadPoolExecutor(6) as pool:
                list(pool.map(self._answer, [answered] * self.case.n_people, range(self.case.n_people)))
            self.tally.waves += 1
            self._uploading.clear()
            self._complete.set()

    def _answer(self, wave: int, person: int) -> None:
        """Fetch a question, twice in a while; answer it, and note the acknowledgement."""
        token = self.crowd.tokens[person]
        for _ in range(1 + (person % 10 == 0)):
            reply = self._ask("GET", "/api/question", None, token)
            if reply.status == 204:
                return
            assert reply.status == 200, reply
            assert self.asked.setdefault((person, wave), reply.body) == reply.body, "a question has changed"
        time.sleep(0.02)  # people take their time
        body = self._report(person, reply.body)
        sent = self._ask("PUT", f"/api/reports/{wave}", body, token)
        assert sent.status in (200, 201), sent
        self.book[person, wave] = body

    def _report(self, person: int, raw: bytes) -> bytes:
        question = decode(raw, Question)
        if self.case.protocol == "hist-of-tree" and question.wave == 1:
            return encode(Report(digest(raw), ((person,),)))
        return self.crowd.reports([person], [raw], SystemSource())[0]

    # The books

    def _check_end(self, model: bytes, log: Path) -> None:
        """The model is that of the acknowledged messages, and each wave was advanced once."""
        running = Running(self.case.study, SEED, None)
        running.enrol(self.crowd.enrolments)
        step = running.plan()
        while isinstance(step, Planned):
            asked = {p: (q, c) for p, q, c in step.asked}
            rows = [(p, *asked[p], self.book[p, w]) for p, w in sorted(self.book) if w == step.wave]
            assert len(rows) == len(asked), "somebody was not acknowledged"
            running.collect(step.questions, rows)
            step = running.plan()
        assert model == step.to_json(), "the model is not that of the acknowledged reports"
        waves = [json.loads(line)["wave"] for line in log.read_text().splitlines() if '"wave done"' in line]
        assert len(waves) == len(set(waves)), "a wave was advanced twice"
        if self.case.protocol == "hist-of-tree":
            engine = create_engine(self.url.replace("postgresql:", "postgresql+psycopg:"))
            with engine.connect() as connection:
                raw = connection.execute(text("SELECT document FROM totals WHERE wave = 1")).scalar()
            engine.dispose()
            counts = json.loads(bytes(raw or b""))["questions"][0]["asks"][0]["counts"]
            assert counts == {str(i): 1 for i in range(self.case.n_people)}, "a number was counted twice or not at all"


def free_ports(n: int) -> tuple[int, ...]:
    """Return ports that are free now."""
    held = [socket.socket() for _ in range(n)]
    for each in held:
        each.bind(("127.0.0.1", 0))
    ports = tuple(int(each.getsockname()[1]) for each in held)
    for each in held:
        each.close()
    return ports


def kill_studies(
    times: int, new_url: Callable[[Path], str], folder: Path, servers: int = 1, seed: int | None = None
) -> Tally:
    """Conduct studies until servers have been killed so many times."""
    tally, chance = Tally(), random.Random(seed)
    while tally.kills < times:
        where = folder / f"study{tally.studies}"
        where.mkdir()
        case = CASES[tally.studies % len(CASES)]
        Killed(case, new_url(where), where, tally, times, chance, free_ports(servers)).run()
    return tally
