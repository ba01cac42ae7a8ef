"""Waves advance, each exactly once, whichever process does it.

A first transaction sets the wave to `closing`: from then on no report is taken. The next wave is computed from what is
stored, which any process does to the same bits. A last transaction writes it, if the wave is still `closing`. The lease
spares two processes the same work; that nothing is done twice does not depend on it, nor on any clock.
"""

from __future__ import annotations

import logging
import secrets
import threading
from dataclasses import dataclass, field

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from semildp.errors import InputError
from semildp.models import Model
from semildp.running import Planned, Running
from semildp.service.clock import Clock, is_over, wave_end
from semildp.service.jobs import Rules
from semildp.service.logs import name_of
from semildp.service.replay import end_wave, rebuild
from semildp.service.store import Store, StudyRow, WaveRow
from semildp.service.totals import wave_totals

TICK_SECONDS = 1.0
LEASE_SECONDS = 15
FAILED = "From the reports that are in, the protocol can compute neither the next wave nor a model."

_log = logging.getLogger(__name__)


@dataclass
class Worker:
    """Closes waves that are complete or over, and plans the next."""

    store: Store
    rules: Rules
    clock: Clock
    tick_seconds: float = TICK_SECONDS
    lease_seconds: int = LEASE_SECONDS
    _name: str = field(default_factory=lambda: secrets.token_hex(16))
    _kept: tuple[int, int, Running] | None = None  # the wave that it planned, people enrolled by then, the curator
    _wake: threading.Event = field(default_factory=threading.Event)
    _over: bool = False
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread."""
        self._thread = threading.Thread(target=self._run, name="worker", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End after the step that is under way."""
        self._over = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join()

    def look(self) -> None:
        """Look now rather than at the next tick."""
        self._wake.set()

    def on_wave(self, wave: WaveRow) -> None:
        """Look now if a wave has just become complete."""
        if wave.state == "open" and (wave.enough or wave.number == 0):
            self._wake.set()

    def _run(self) -> None:
        while not self._over:
            try:
                while self.advance() and not self._over:
                    pass
            except SQLAlchemyError as problem:
                _log.error("store unavailable", extra={"facts": {"error": name_of(problem)}})
            except Exception as problem:
                _log.exception("a wave could not be advanced", extra={"facts": {"error": name_of(problem)}})
            self._wake.wait(self.tick_seconds)
            self._wake.clear()

    def advance(self) -> bool:
        """Take one step, if there is one to take; return whether there was."""
        with self.store.reading() as connection:
            study, wave = self.store.head(connection), self.store.newest_wave(connection)
        if not self._due(study, wave):
            return False
        with self.store.writing() as (connection, study, wave):
            if not self._due(study, wave):
                return False
            wave = self._close(connection, study, wave)
        try:
            self._plan(wave)
        except BaseException:
            self._kept = None  # it may have gone a step too far
            raise
        return True

    def _due(self, study: StudyRow, wave: WaveRow) -> bool:
        """Whether the newest wave is to be closed, or was left while it was."""
        now = self.clock()
        if study.outcome is not None or wave.state == "done":
            return False
        if wave.state == "closing":
            left = -1.0 if wave.lease_until is None else wave.lease_until - now
            mine = wave.lease_owner == self._name
            return mine or not 0 <= left <= self.lease_seconds + 1  # farther off: a clock has jumped
        if study.closed is not None or is_over(self.rules.collection, now):
            return True
        if wave.ends is not None and now >= wave.ends and (wave.received or (wave.number == 0 and study.people)):
            return True  # nothing can be learnt from a wave without a report: it waits for its first
        if wave.number == 0:
            return self.rules.one_visit or study.people >= self.rules.collection.people
        return wave.enough

    def _close(self, connection: Connection, study: StudyRow, wave: WaveRow) -> WaveRow:
        """Let nothing more into the wave, and say who is at work on it."""
        now = self.clock()
        if study.closed is None and is_over(self.rules.collection, now):
            self.store.set_study(connection, closed=int(now))
        enrolled = study.people if wave.state == "open" else wave.enrolled
        lease = {"lease_owner": self._name, "lease_until": int(now) + self.lease_seconds}
        self.store.set_wave(connection, wave.number, state="closing", enrolled=enrolled, **lease)
        return wave._replace(state="closing", enrolled=enrolled)

    def _plan(self, wave: WaveRow) -> None:
        """Find what comes after a wave, and write it down."""
        with self.store.reading() as connection:
            if self._kept is not None and self._kept[0] == wave.number:
                _, before, running = self._kept
            else:
                running = rebuild(self.store, connection, self.rules, wave.number)
                before = 0 if wave.number == 0 else self.store.waves(connection)[wave.number - 1].enrolled or 0
            rows = self.store.reports(connection, wave.number)
            templates = self.store.templates(connection, wave.number)
            newcomers = self.store.enrolments(connection, before, wave.enrolled or 0)
            few = self.store.count_reporters(connection) < self.rules.collection.minimum
        self._kept = None
        totals = wave_totals(wave.number, templates, rows) if wave.number else None
        try:
            end_wave(running, wave.number, newcomers, templates, rows)
            step = running.plan()
        except (ValueError, ArithmeticError, LookupError) as problem:  # it would fail again: all is computed anew
            sentence = str(problem) if isinstance(problem, InputError) else FAILED
            _log.exception("no model", extra={"facts": {"wave": wave.number}})
            self._write(wave, totals, outcome="too-few" if few else "failed", sentence=sentence)
            return
        if isinstance(step, Planned):
            if self._write(wave, totals, step):
                self._kept = (step.wave, wave.enrolled or 0, running)
        else:
            self._write(wave, totals, None if few else step, outcome="too-few" if few else "model")

    def _write(
        self,
        wave: WaveRow,
        totals: bytes | None,
        step: Planned | Model | None = None,
        outcome: str | None = None,
        sentence: str | None = None,
    ) -> bool:
        """Write what comes after a wave, unless another process has done so; return whether it was written."""
        now = int(self.clock())
        with self.store.writing() as (connection, study, newest):
            if (newest.number, newest.state) != (wave.number, "closing"):
                return False
            self.store.set_wave(connection, wave.number, state="done", lease_owner=None, lease_until=None)
            if totals is not None:
                self.store.add_totals(connection, wave.number, totals)
            if isinstance(step, Planned):
                self._open(connection, step, now)
            else:
                if isinstance(step, Model):
                    self.store.add_model(connection, step.to_json())
                if outcome != "failed":
                    self.store.delete_reports(connection)
                closed = now if study.closed is None else study.closed
                self.store.set_study(connection, outcome=outcome, sentence=sentence, closed=closed)
        _log.info("wave done", extra={"facts": {"wave": wave.number, "outcome": outcome or "next wave"}})
        if outcome is not None:
            self.store.truncate_log()
        return True

    def _open(self, connection: Connection, step: Planned, now: int) -> None:
        values = {
            "number": step.wave,
            "state": "open",
            "planned": now,
            "ends": wave_end(self.rules.collection, step.wave, now),
            "asked": len(step.asked),
            "wanted": step.wanted,
            "rule": step.rule,
        }
        self.store.add_wave(connection, values, step.questions)
        self.store.add_asked(connection, step.wave, step.asked)
