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
        number, templates = self._templates
        if number != sheet.wave:
            templates = self._store.templates(connection, sheet.wave)
            self._templates = (sheet.wave, templates)
        public = any(needs_public(template) for template in templates)
        found = self._store.find_reporters(connection, sheet.people, sheet.wave, enrolments=public)
        told = self._before(connection, sheet, found)
        new = [k for k, each in enumerate(told) if each is KEPT]
        asked = (templates[question or 0] for question in found.question)
        received = list(zip(asked, found.centre, map(str.encode, found.enrolment), sheet.bodies, strict=True))
        if len(new) < len(told):
            received = [received[k] for k in new]
        for k, problem in zip(new, check_reports(self._rules.study, received), strict=True):
            if problem is not None:
                told[k] = refused(problem)
        good = [k for k in new if told[k] is KEPT]
        bodies = {found.position[k] or 0: sheet.bodies[k].decode() for k in good}
        return told, [partial(self._keep, sheet.wave, good, bodies, told)] if good else []

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
        good: list[int],
        bodies: dict[int, str],
        told: list[Told],
        connection: Connection,
        head: StudyRow,
        wave: WaveRow,
    ) -> None:
        """Keep reports if their wave is still open."""
        if head.closed is None and wave.number == number and wave.state == "open":
            self._store.add_reports(connection, number, bodies)
            return
        for k in good:
            told[k] = refused("study-closed" if head.closed is not None else "wave-over")
