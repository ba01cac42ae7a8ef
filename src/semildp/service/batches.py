"""Many people's jobs in one request: lines of JSON, each with its own tokens; one bad line is refused alone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec

from semildp.service.core import Core
from semildp.service.jobs import Enrol, Job, Order, Send, Sheet, Told, refused, size
from semildp.service.problems import RefusedError
from semildp.service.tokens import hash_of, hashes_of, is_token

GROUP = 10_000  # lines that are committed together: large, for each commit waits for the disk


class Line(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """One line of a batch: a report to a wave, or an enrolment."""

    person: str
    wave: int | None = None
    report: str | None = None
    invitation: str | None = None
    enrolment: str | None = None


_READ_LINE, _READ_LINES = msgspec.json.Decoder(Line).decode, msgspec.json.Decoder(list[Line]).decode
Places = Sequence[int]  # of lines
Refused = list[tuple[int, str]]
Task = tuple[Places, asyncio.Task[list[Told]]]  # a group under way


async def do_batch(core: Core, lines: list[bytes]) -> dict[str, Any]:
    """Do the jobs of all lines, group by group; the next group is read while one is committed."""
    accepted, bad, before = 0, Refused(), None
    under_way = list[Task]()
    for start in range(0, len(lines), GROUP):
        places, order, unread = read_jobs(core, lines[start : start + GROUP], start)
        bad += unread
        while len(under_way) > _independent(before, order):  # one may go on, or none
            accepted += await _gather(under_way.pop(0), bad)
        before = order
        under_way.append((places, asyncio.ensure_future(_do(core, order))))
        await asyncio.sleep(0)  # let it begin
    for task in under_way:
        accepted += await _gather(task, bad)
    for _, problem in bad:
        if problem in ("store-unavailable", "busy", "internal"):
            raise RefusedError(problem)
    return {"accepted": accepted, "refused": [{"line": line, "problem": problem} for line, problem in sorted(bad)]}


async def _gather(task: Task, bad: Refused) -> int:
    """Wait for a group; return how many lines of it were accepted, and note what is wrong with the others."""
    places, told = task[0], await task[1]
    wrong = [(place, t.problem) for place, t in zip(places, told, strict=True) if t.problem is not None]
    bad += wrong
    return len(told) - len(wrong)


def _independent(before: Order | None, order: Order) -> bool:
    """Whether an order may be done at the same time as the one before it: both are reports, of different people."""
    if not isinstance(before, Sheet) or not isinstance(order, Sheet):
        return False
    return set(before.people).isdisjoint(order.people)


async def _do(core: Core, order: Order) -> list[Told]:
    try:
        return await core.writer.do(order)
    except RefusedError as problem:
        return [refused(problem.problem)] * size(order)


def read_jobs(core: Core, lines: list[bytes], first: int) -> tuple[Places, Order, Refused]:
    """Return the jobs of those lines that can be read, with their places, and what is wrong with the others."""
    longest, invited = core.limits.body_bytes, core.rules.collection.access == "invitation"
    read = _read(lines)
    if max(map(len, lines)) <= longest and (sheet := _sheet(read)) is not None:
        return range(first, first + len(lines)), sheet, []
    places, jobs, bad = list[int](), list[Job](), Refused()
    for place, (raw, line) in enumerate(zip(lines, read, strict=True), first):
        if line is None or len(raw) > longest:
            bad.append((place, "bad-request" if line is None else "too-large"))
            continue
        try:
            jobs.append(_job(line, invited))
            places.append(place)
        except (RefusedError, UnicodeError) as problem:
            bad.append((place, problem.problem if isinstance(problem, RefusedError) else "bad-request"))
    return places, jobs, bad


def _sheet(lines: list[Line | None]) -> Sheet | None:
    """Return lines as one sheet, if all are reports of different people to one wave."""
    wave, people, bodies = None if lines[0] is None else lines[0].wave, list[str](), list[str]()
    for line in lines:
        if line is None or line.report is None or line.wave != wave:
            return None
        if line.enrolment is not None or line.invitation is not None:
            return None
        people.append(line.person)
        bodies.append(line.report)
    try:
        sheet = Sheet(wave or 0, hashes_of(people), [text.encode() for text in bodies])
    except UnicodeError:
        return None
    return None if wave is None or len(set(sheet.people)) < len(lines) else sheet


def _read(lines: list[bytes]) -> list[Line | None]:
    """Read all lines at once; if one is bad, each alone."""
    try:
        whole: list[Line | None] = list(_READ_LINES(b"[" + b",".join(lines) + b"]"))
        if len(whole) == len(lines):
            return whole
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        pass
    return [_read_one(raw) for raw in lines]


def _read_one(raw: bytes) -> Line | None:
    try:
        return _READ_LINE(raw)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def _job(line: Line, invited: bool) -> Job:
    """Return what a line asks for. Whatever is no token is not known either."""
    if line.report is not None and line.wave is not None and line.enrolment is None and line.invitation is None:
        return Send(hash_of(line.person), line.wave, line.report.encode())
    if line.enrolment is None or line.report is not None or line.wave is not None:
        raise RefusedError("bad-request")
    if invited and line.invitation is None:
        raise RefusedError("no-token")
    if not is_token(line.person):
        raise RefusedError("bad-request")
    return Enrol(hash_of(line.invitation or "") if invited else None, hash_of(line.person), line.enrolment.encode())
