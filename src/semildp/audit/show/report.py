"""What the audit of one mechanism or one visit found."""

from __future__ import annotations

from dataclasses import dataclass

from semildp.audit.finding import Finding
from semildp.audit.search.lower_bound import LowerBound

NOT_SEARCHED = LowerBound(0.0, ("-", "-"), "no event was searched for", 0, 0, 0, 0)


@dataclass(frozen=True)
class Audited:
    """What the audit of one mechanism or visit found.

    Parameters
    ----------
    name, kind
        What was audited, and whether it is a "mechanism" or a "visit".
    claimed
        The epsilon it promises.
    exact
        The worst log ratio of what it states; None where it states nothing.
    bound
        The largest epsilon that could be proven from outside; `NOT_SEARCHED` for rows of very many entries.
    findings
        What each check found.
    power
        Whether the sampler's checks rejected samplers spoilt on purpose; None where that was not tried. No violation
        if not.
    seconds
        How long it took.
    skipped
        Why it was not audited; empty where it was. What was not audited is not ok.
    """

    name: str
    kind: str
    claimed: float
    exact: float | None
    bound: LowerBound
    findings: tuple[Finding, ...]
    power: Finding | None
    seconds: float
    skipped: str = ""

    @property
    def ok(self) -> bool:
        """Whether the claim was audited and survived every check."""
        return not self.skipped and all(finding.ok for finding in self.findings)

    @property
    def reached(self) -> float:
        """The proven epsilon as a share of the claim."""
        return self.bound.epsilon / self.claimed

    @property
    def caught_by(self) -> tuple[str, ...]:
        """Names of the checks that the claim did not survive."""
        return tuple(finding.check for finding in self.findings if not finding.ok)
