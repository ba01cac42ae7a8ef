"""People look for their question. Who comes while a wave asks newcomers gets one of its questions, once and for all."""

from __future__ import annotations

from functools import partial

from sqlalchemy import Connection

from semildp.arrivals import ask_newcomer, with_centre
from semildp.service.jobs import Answers, Look, Rules, Told, Write, refused
from semildp.service.store import Known, Store, StudyRow, WaveRow

Drawn = dict[int, tuple[int, int, float]]  # by job: position, question, centre


class Asking:
    """Tells people what they are asked."""

    def __init__(self, store: Store, rules: Rules) -> None:
        self._store, self._rules = store, rules
        self._templates: tuple[int, list[bytes]] = (-1, [])  # of the wave that was last looked at

    def prepare(
        self, connection: Connection, head: StudyRow, wave: WaveRow, jobs: dict[int, Look], told: Answers
    ) -> list[Write]:
        """Find out what people are to be told, and draw the questions of newcomers."""
        if not jobs:
            return []
        if self._templates[0] != wave.number:
            self._templates = (wave.number, self._store.templates(connection, wave.number))
        known = self._store.find(connection, (job.person for job in jobs.values()), None)
        drawn: Drawn = {}
        for k, job in jobs.items():
            row = known.get(job.person)
            if row is None:
                told[k] = refused("unknown-token")
            elif head.closed is not None:
                told[k] = refused("study-closed")
            elif row.wave is None and wave.rule is not None and wave.state == "open":
                drawn[k] = (row.position, *ask_newcomer(self._rules.study, wave.rule, row.enrolment.encode()))
                told[k] = self._question(*drawn[k][1:])
            else:
                told[k] = self._state(row, wave)
        return [partial(self._note, wave.number, drawn, told)] if drawn else []

    def _question(self, number: int, centre: float) -> Told:
        return Told(200, None, with_centre(self._templates[1][number], centre))

    def _state(self, row: Known, wave: WaveRow) -> Told:
        """Return somebody's question if it is open to them; otherwise whether more may come."""
        if row.wave == wave.number and wave.state == "open" and row.body is None:
            return self._question(row.question or 0, row.centre or 0.0)
        if row.wave is not None and self._rules.study.participation == "split":
            return Told(204, state="done")
        answered = row.wave == wave.number and row.body is not None
        return Told(204, state="answered" if answered else "waiting")

    def _note(
        self, number: int, drawn: Drawn, told: Answers, connection: Connection, head: StudyRow, wave: WaveRow
    ) -> None:
        """Note what newcomers are asked; if the wave has just ended, they wait for the next."""
        if head.closed is None and wave.number == number and wave.state == "open":
            self._store.add_asked(connection, number, drawn.values())
            return
        told.update(dict.fromkeys(drawn, refused("study-closed") if head.closed else Told(204, state="waiting")))
