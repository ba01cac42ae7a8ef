"""What must hold when the processes that competed for a ledger are dead: the logs of all of them against the ledger."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from benchmarks.ledger_worker import IN_USE, LIMIT, OPENED, REPORT, STRANGE, Terms
from semildp.client import Ledger


@dataclass(frozen=True)
class Verdict:
    """How often everything happened, and every rule that was broken, in a sentence each."""

    counts: Counter[str]
    violations: list[str]

    def line(self) -> str:
        """Return the figures in one line."""
        c = self.counts
        return (
            f"{c[OPENED]} opens, {c[IN_USE]} refusals because in use, {c[REPORT]} answers, {c[LIMIT]} refusals at the "
            f"limit, {c['recorded']} questions recorded, {c['handed out']} of them handed out"
        )


def check(terms: Terms) -> Verdict:
    """Hold what was handed out against what is recorded."""
    counts: Counter[str] = Counter()
    handed: dict[int, set[str]] = defaultdict(set)
    violations, strange = [], []
    for log in sorted(Path(terms.folder).glob("*.log")):
        for line in log.read_text().split("\n")[:-1]:  # after the last line end there is nothing, or a part of a line
            what, *words = line.split(" ", 2)
            counts[what] += 1
            if what == REPORT:
                handed[int(words[0])].add(words[1])
            elif what == STRANGE:
                strange.append(f"A process met what it should not: {' '.join(words)}")
    with Ledger.open(terms.place, terms.limit) as ledger:
        recorded = {entry.question: entry for entry in ledger.sent}
        spent = ledger.spent
    for number, reports in sorted(handed.items()):
        entry = recorded.get(terms.question(number))
        if len(reports) > 1:
            violations.append(f"Question {number} was answered by {len(reports)} different reports.")
        if entry is None:
            violations.append(f"Question {number} was answered and is not in the ledger.")
        elif reports != {entry.report.hex()}:
            violations.append(f"Question {number} was answered otherwise than the ledger says.")
    costs = {terms.question(n): terms.cost(n) for n in range(terms.n_questions)}
    if spent != sum((costs[question] for question in recorded), Fraction(0)):
        violations.append("What the ledger has spent is not the sum of what its questions cost.")
    if sum((terms.cost(number) for number in handed), Fraction(0)) > spent or spent > terms.limit:
        violations.append("More was spent than the ledger has recorded, or than the limit allows.")
    counts["recorded"], counts["handed out"] = len(recorded), len(handed)
    return Verdict(counts, violations + strange)
