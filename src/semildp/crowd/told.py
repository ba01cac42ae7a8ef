"""What became of simulated people, in plain words."""

from __future__ import annotations

from semildp.crowd.visiting import Outcome


def outcome_lines(outcome: Outcome) -> list[str]:
    """Return what is to be said of how it went."""
    rate = outcome.reports / outcome.seconds if outcome.seconds > 0 else 0.0
    lines = [
        f"{outcome.people:,} people came, {outcome.enrolled:,} were enrolled, {outcome.reports:,} reports were taken.",
        f"It took {outcome.seconds:.1f} s: {rate:,.0f} reports per second.",
    ]
    if outcome.late:
        lines.append(f"{outcome.late:,} reports came after their wave was over and were not taken.")
    if outcome.closed:
        lines.append(f"{outcome.closed:,} people were not asked: the study is closed.")
    if outcome.waiting:
        lines.append(
            f"{outcome.waiting:,} people are still to be asked: more people must come before the wave is over, or it "
            "must be ended (see `semildp status`)."
        )
    for problem, count in outcome.refused.most_common():
        lines.append(f"{count:,} {'was' if count == 1 else 'were'} refused: {problem}.")
    return lines
