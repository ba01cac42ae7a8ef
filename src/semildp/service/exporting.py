"""What a collection has received so far, read from its database: all that is needed to write reports to files."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import SQLAlchemyError

from semildp.curator.waves import State
from semildp.errors import InputError
from semildp.service.database import open_engine
from semildp.service.jobs import Rules
from semildp.service.replay import end_wave, rebuild
from semildp.service.settings import read_study_file
from semildp.service.store import Store, find_study


def received(study_path: str | Path, database_url: str | None = None) -> tuple[State, int]:
    """Return the state of the curator with all reports that are in, and the seed of the curator's own draws.

    The server may run meanwhile: one state of the database is seen, and nothing is changed.
    """
    path = Path(study_path)
    rules = Rules(*read_study_file(path))
    url = database_url or f"sqlite:///{path.with_suffix('.sqlite').absolute()}"
    engine = open_engine(url)
    try:
        file = make_url(url).database if engine.dialect.name == "sqlite" else None
        if file is not None and not Path(file).exists():
            raise InputError(f"The database {file} must be there. Got none. Say where it is with --database.")
        store = find_study(engine, rules.study.digest)
        if store is None:
            raise InputError(f"The database must hold the study of {path}, to the last setting. Got none, or another.")
        return _received(store, rules)
    except SQLAlchemyError as problem:
        raise InputError(f"The database could not be read: {type(problem).__name__}. Is it a collection's?") from None
    finally:
        engine.dispose()


def _received(store: Store, rules: Rules) -> tuple[State, int]:
    with store.reading() as connection:
        study, newest = store.head(connection), store.newest_wave(connection)
        if study.outcome not in (None, "failed"):
            raise InputError("The study has ended, and its reports were deleted then. Export before, or from a backup.")
        if newest.number == 0:
            raise InputError(
                "Reports can be exported once the first wave is open. Got a study that still enrols people."
            )
        if study.expected != rules.expected:
            raise InputError(
                "`people` and `visits` must be those that the study began with. Got others. Put them back."
            )
        try:
            running = rebuild(store, connection, rules, newest.number, keep=True)
        except RuntimeError as problem:
            raise InputError(f"Another version of semildp began this study: {problem}. Export with that one.") from None
        before = store.waves(connection)[newest.number - 1].enrolled or 0
        until = study.people if newest.enrolled is None else newest.enrolled
        newcomers = store.enrolments(connection, before, until)
        templates, rows = store.templates(connection, newest.number), store.reports(connection, newest.number)
        end_wave(running, newest.number, newcomers, templates, rows)
    return running.state, int(study.seed, 16)
