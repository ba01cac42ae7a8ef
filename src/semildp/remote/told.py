"""How far a study is, in plain words: what the server's status says."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

STATUS = {
    "not-open": "is not open yet",
    "enrolling": "is open: people enrol",
    "asking": "is open: people are asked",
    "closed": "is closed",
}


def status_lines(told: dict[str, Any]) -> list[str]:
    """Return what a curator wants to know first. Fields that an older server does not send are left out."""
    name, status = told.get("title") or told.get("name", "The study"), told.get("status", "")
    lines = [f"{name!r} {STATUS.get(status, status)}."]
    enrolled, expected, reports = (told.get(key) or 0 for key in ("enrolled", "expected", "reports"))
    lines.append(f"{enrolled:,} of {expected:,} expected people have enrolled, {reports:,} reports have come.")
    if told.get("access") == "invitation":
        lines.append(f"{told.get('invitations') or 0:,} invitations have been made.")
    if reports < (told.get("minimum") or 0):
        lines.append(f"There is no model from fewer than {told['minimum']:,} people.")
    hidden = [entry for entry in told.get("hidden") or [] if not entry.get("forced")]
    lines += [f"  {entry['people']:,} of {enrolled:,} keep {entry['feature']!r} private." for entry in hidden]
    for wave in told.get("waves") or []:
        lines += _wave(wave)
    if told.get("closes") and status != "closed":
        lines.append(f"It closes at {told['closes']}.")
    return lines + _end(told)


def _wave(wave: dict[str, Any]) -> list[str]:
    """Say how far a wave is, and what it asks; wave 0 is the enrolment."""
    if not wave.get("wave"):
        return []
    wanted = wave.get("wanted") or wave.get("asked") or 0
    words = {"open": "is open", "closing": "is being added up", "done": "is done"}
    line = f"Wave {wave['wave']} {words.get(wave['state'], wave['state'])}: {wave['received']:,} of {wanted:,} reports."
    if wave["state"] == "open" and wave.get("ends"):
        line += f" It ends {datetime.fromtimestamp(wave['ends'], UTC):%Y-%m-%d %H:%M} UTC at the latest."
    asked = [f"  - {words}" for words in wave.get("questions") or []] if wave["state"] != "done" else []
    return [line, *asked]


def _end(told: dict[str, Any]) -> list[str]:
    """Say what came of a study that has ended."""
    if told.get("model"):
        return ["The model is there: semildp model -o model.json"]
    if told.get("sentence"):
        return [f"There is no model: {str(told['sentence']).rstrip('.')}."]
    return ["The model is being made."] if told.get("status") == "closed" and not told.get("outcome") else []
