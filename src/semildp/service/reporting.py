"""People report: each report is checked against what its sender was asked, and kept while its wave is open."""

from __future__ import annotations

from functools import partial

from sqlalchemy import Connection

from semildp.arrivals import check_reports, needs_public
from semildp.service.jobs import Rules, Sheet, Told, Write, refused, size
from semildp.service.store import Reporters, Store, StudyRow, WaveRow

KEPT, AGAIN = Told(201), Told(200)


class Reporting:
    """Takes reports."""

    def __init__(self, store: Store, rules: Rules) -> None:
        self._store, self._rules = store, rules
        self._templates: tuple[int, list[bytes]] = (-1, [])  # of the wave that was last reported to

    def prepare(self, connection: Connection, wave: WaveRow, sheet: Sheet) -> tuple[list[Told], list[Write]]:
        """Check reports. Return what to tell their senders, which the writing of them may still change."""
        if not 1 <= sheet.wave <= wave.number:
            return [refused("not-asked")] * size(sheet), []
        if self._templates[0] != sheet.wave:
            self._templates = (sheet.wave, self._store.templates(connection, sheet.wave))
        templates = self._templates[1]
        public = any(needs_public(template) for template in templates)
        found = self._store.find_reporters(connection, sheet.people, sheet.wave, enrolments=public)
        told = self._before(connection, sheet, found)
        new = [k for k, each in enumerate(told) if each is KEPT]
        received = [
            (
                templates[found.question[k] or 0],
                found.centre[k] or 0.0,
                (found.enrolment[k] or "").encode(),
                sheet.bodies[k],
            )
            for k in new
        ]
        rows: dict[int, tuple[int, str]] = {}
        for k, problem in zip(new, check_reports(self._rules.study, received), strict=True):
            if problem is None:
                rows[k] = (found.position[k] or 0, sheet.bodies[k].decode())
            else:
                told[k] = refused(problem)
        return told, [partial(self._keep, sheet.wave, rows, told)] if rows else []

    def _before(self, connection: Connection, sheet: Sheet, found: Reporters) -> list[Told]:
        """Tell who was not asked, or has answered before, that it is so; all others, that their report is kept."""
        told, again = [KEPT] * size(sheet), list[int]()
        for k, (position, question, reported) in enumerate(zip(*found[:3], strict=True)):
            if question is None:
                told[k] = refused("unknown-token" if position is None else "not-asked")
            elif reported is not None:
                again.append(k)
        if again:
            known = self._store.find(connection, [sheet.people[k] for k in again], sheet.wave)
            for k in again:
                same = (known[sheet.people[k]].body or "").encode() == sheet.bodies[k]
                told[k] = AGAIN if same else refused("already-answered")
        return told

    def _keep(
        self,
        number: int,
        rows: dict[int, tuple[int, str]],
        told: list[Told],
        connection: Connection,
        head: StudyRow,
        wave: WaveRow,
    ) -> None:
        """Keep reports if their wave is still open."""
        if head.closed is None and wave.number == number and wave.state == "open":
            self._store.add_reports(connection, number, rows.values())
            return
        for k in rows:
            told[k] = refused("study-closed" if head.closed is not None else "wave-over")
