"""The parts of a running service, put together."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Engine

from semildp.errors import InputError
from semildp.service.clock import Clock, has_opened, system_clock, wave_end
from semildp.service.database import migrate, open_engine
from semildp.service.intake import Intake
from semildp.service.jobs import Rules
from semildp.service.limits import Gate, Limits
from semildp.service.metrics import Metrics
from semildp.service.settings import read_study_file
from semildp.service.store import Store, StudyRow, Values, WaveRow, open_study
from semildp.service.tokens import hash_of, is_token, new_token
from semildp.service.worker import Worker
from semildp.service.writer import Writer

SEED_BITS = 128


@dataclass
class Core:
    """A study, its store, the writer, the worker and the limits."""

    rules: Rules
    store: Store
    writer: Writer
    worker: Worker
    metrics: Metrics
    limits: Limits
    clock: Clock
    folder: Path  # of the study's file
    new_curator_token: str | None = None  # if one was made now: to be shown once
    gate: Gate = field(init=False)

    def __post_init__(self) -> None:
        self.gate = Gate(self.limits)

    def start(self) -> None:
        """Start the threads."""
        self.writer.start()
        self.worker.start()

    def stop(self) -> None:
        """Finish what is under way, and end."""
        self.writer.stop()
        self.worker.stop()
        self.store.engine.dispose()

    def status(self, study: StudyRow, wave: WaveRow) -> str:
        """Return the study's status in a word."""
        if study.closed is not None:
            return "closed"
        if not has_opened(self.rules.collection, self.clock()):
            return "not-open"
        return "enrolling" if wave.number == 0 and not self.rules.one_visit else "asking"


def open_core(
    study_path: str | Path,
    database_url: str,
    *,
    curator_token: str | None = None,
    limits: Limits | None = None,
    clock: Clock = system_clock,
    seed: int | None = None,
    tick_seconds: float = 1.0,
    lease_seconds: int = 15,
) -> Core:
    """Read the study, open its store, and put everything together; nothing runs yet."""
    rules = Rules(*read_study_file(study_path))
    if curator_token is not None and not is_token(curator_token):
        raise InputError("The curator's token must be 43 letters, digits, - or _. Leave it out, and one is made.")
    engine = open_engine(database_url)
    migrate(engine)
    store, new_token_shown = _open_store(engine, rules, curator_token, clock, seed)
    limits, metrics = limits or Limits(), Metrics()
    worker = Worker(store, rules, clock, tick_seconds, lease_seconds)
    writer = Writer(Intake(store, rules), metrics, worker.on_wave)
    return Core(rules, store, writer, worker, metrics, limits, clock, Path(study_path).parent, new_token_shown)


def _open_store(
    engine: Engine, rules: Rules, curator_token: str | None, clock: Clock, seed: int | None
) -> tuple[Store, str | None]:
    """Find the study in the database, or put it there; return a curator's token if one was made for it."""
    study, now = rules.study, int(clock())
    token = curator_token or new_token()
    first: Values = {
        "study": {
            "document": study.to_json(),
            "seed": f"{secrets.randbits(SEED_BITS) if seed is None else seed:x}",
            "curator_hash": hash_of(token),
            "created": now,
            "expected": rules.expected,
            "people": 0,
            "hidden": str([0] * len(study.features)),
        },
        "wave": {
            "number": 0,
            "state": "open",
            "planned": now,
            "ends": wave_end(rules.collection, 0, now),
            "asked": 0,
            "received": 0,
        },
    }
    store, made = open_study(engine, study.digest, first, hash_of(token) if curator_token else None)
    _refuse_other_plans(store, rules)
    return store, token if made and curator_token is None else None


def _refuse_other_plans(store: Store, rules: Rules) -> None:
    """Refuse another number of people than the waves were planned for: they could not be planned again."""
    with store.reading() as connection:
        planned = store.head(connection).expected
    if planned != rules.expected:
        began = "enrol-first" if planned is None else f"one-visit with people = {planned}"
        raise InputError(
            f"A study that has begun must be collected as it began: {began}. Got visits = {rules.collection.visits!r}, "
            f"people = {rules.collection.people}. Put them back, or give the study another name."
        )
