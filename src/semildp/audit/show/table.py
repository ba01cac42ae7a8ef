"""What an audit found, laid out for people and for machines."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from semildp.audit.attack import Attacked
from semildp.audit.finding import Finding
from semildp.audit.show.report import Audited
from semildp.audit.statistics import FALSE_ALARM

VERSION = 1
HEADINGS = {
    "mechanism": "One mechanism, all of its values",
    "visit": "Everything one person sends, private inputs changed",
}


def audit_table(audited: Sequence[Audited]) -> str:
    """Return the table of an audit, what its columns mean, and every violation in words."""
    width = max(len(row.name) for row in audited) + 2
    lines = [f"{'epsilon':<{width}}{'claimed':>10}{'exact':>10}{'proven':>10}{'share':>8}{'time':>9}  verdict"]
    for kind, heading in HEADINGS.items():
        rows = [row for row in audited if row.kind == kind]
        lines += [f"{heading}:", *(_line(row, width) for row in rows)] if rows else []
    broken = [(row.name, f) for row in audited for f in row.findings if not f.ok]
    weak = [row.name for row in audited if row.power is not None and not row.power.ok]
    lines += [
        "",
        "claimed: what is promised. exact: worst log ratio of the stated probabilities, '-' where none are stated.",
        f"proven: an outsider has shown epsilon to be at least this, wrongly once in {1 / FALSE_ALARM:,.0f} rows.",
        "verdict also covers what is drawn: every value, alone in a call and among others, seeded and from the system.",
    ]
    if not weak and any(row.power for row in audited):
        lines.append(
            "power: each mechanism was spoilt (scale 30 % off, a bare coordinate, a reused seed), and always rejected."
        )
    lines += [f"No power: the checks of {name} cannot tell a spoilt sampler at this epsilon." for name in weak]
    lines += ["", *(f"VIOLATION  {name}, {f.check}: {f.sentence}" for name, f in broken)]
    lines += [f"NOT AUDITED  {row.name}: {row.skipped}" for row in audited if row.skipped]
    lines.append(_verdict(audited))
    return "\n".join(lines)


def _line(row: Audited, width: int) -> str:
    exact = "-" if row.exact is None else f"{row.exact:.4f}"
    searched = row.bound.trials > 0
    proven, share = (f"{row.bound.epsilon:.4f}", f"{100 * row.reached:.0f} %") if searched else ("-", "-")
    return (
        f"  {row.name:<{width - 2}}{row.claimed:>10.4f}{exact:>10}{proven:>10}{share:>8}"
        f"{row.seconds:>7.1f} s  {_word(row)}"
    )


def _word(row: Audited) -> str:
    if row.skipped:
        return "not audited"
    return "ok" if row.ok else "VIOLATION: " + ", ".join(row.caught_by)


def _verdict(audited: Sequence[Audited]) -> str:
    n = sum(not row.skipped for row in audited)
    broken, skipped = sum(bool(row.caught_by) for row in audited), len(audited) - n
    verdict = f"{broken} of {n} claims do not stand." if broken else f"All {n} claims stand."
    return verdict + (f" {skipped} more were not audited." if skipped else "")


def attack_table(attacked: Sequence[Attacked]) -> str:
    """Return what the floating-point attack achieved."""
    width = max(len(row.name) for row in attacked) + 2
    lines = [
        "Reports with a binary digit below 2**-53, under label 0 and under label 1 (Mironov 2012):",
        f"{'':<{width}}{'claimed':>9}{'label 0':>10}{'label 1':>10}{'of':>10}{'proven':>9}{'search':>9}  verdict",
    ]
    lines += [
        f"{row.name:<{width}}{row.claimed:>9g}{row.hits:>10}{row.misses:>10}{row.reports:>10}{row.proven:>9.2f}"
        f"{row.search.epsilon:>9.2f}  {'BROKEN' if row.broken else 'stands'}"
        for row in attacked
    ]
    lines += [
        "",
        "proven: by that event, epsilon is at least this. search: the same by the audit's own search for events.",
    ]
    return "\n".join(lines)


def audit_json(audited: Sequence[Audited], settings: dict[str, Any]) -> str:
    """Return the audit as JSON."""
    rows = [
        {
            "name": row.name,
            "kind": row.kind,
            "claimed": row.claimed,
            "exact": _number(row.exact),
            "lower_bound": _number(row.bound.epsilon),
            "inputs": [str(x) for x in row.bound.inputs],
            "event": row.bound.event,
            "hits": row.bound.hits,
            "misses": row.bound.misses,
            "trials": row.bound.trials,
            "seconds": row.seconds,
            "ok": row.ok,
            "skipped": row.skipped,
            "findings": [_finding(f) for f in row.findings],
            "power": None if row.power is None else _finding(row.power),
        }
        for row in audited
    ]
    data = {"version": VERSION, "ok": all(row.ok for row in audited), "false_alarm": FALSE_ALARM, **settings}
    return json.dumps({**data, "rows": rows}, indent=2, allow_nan=False)


def attack_json(attacked: Sequence[Attacked], settings: dict[str, Any]) -> str:
    """Return the attack as JSON."""
    rows = [
        {
            "name": row.name,
            "claimed": row.claimed,
            "hits": row.hits,
            "misses": row.misses,
            "reports": row.reports,
            "lower_bound": row.proven,
            "search_lower_bound": row.search.epsilon,
            "broken": row.broken,
        }
        for row in attacked
    ]
    return json.dumps({"version": VERSION, "attack": "floating-point", **settings, "rows": rows}, indent=2)


def _finding(finding: Finding) -> dict[str, Any]:
    return {**asdict(finding), "figure": _number(finding.figure)}


def _number(number: float | None) -> float | str | None:
    """JSON has no infinity."""
    return "infinity" if number is not None and math.isinf(number) else number
