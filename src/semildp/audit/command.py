"""What the command `semildp audit` does once its options are read."""

from __future__ import annotations

import sys
from pathlib import Path

from msgspec import to_builtins

from semildp._checks import privacy_parameter, whole_number
from semildp.audit.attack import attack_floating_point
from semildp.audit.contract import FEWEST_TRIALS, MOST_TRIALS
from semildp.audit.run import audit_study
from semildp.audit.search.lower_bound import TRIALS
from semildp.audit.show.plot import check_plot, plot_audit
from semildp.audit.show.progress import ProgressLine
from semildp.audit.show.table import attack_json, attack_table, audit_json, audit_table
from semildp.audit.visits.studies import default_studies
from semildp.errors import InputError
from semildp.sources import SeededSource, Source
from semildp.study import Study

VIOLATION, REFUSED = 1, 2  # exit codes


def run_audit(
    studies: tuple[Study, ...], seed: int | None, as_json: bool, trials: int | None, plot: Path | None
) -> int:
    """Audit a study and print what was found; 1 if a claim does not stand, 2 if one could not be audited."""
    source = _source(seed)
    most = whole_number("--trials", TRIALS if trials is None else trials, FEWEST_TRIALS, MOST_TRIALS)
    drawable = plot is not None and check_plot(plot)
    line = ProgressLine(sys.stderr)
    try:
        audited = audit_study(*studies, source=source, trials=most, progress=line)
    finally:
        line.clear()
    settings = {"studies": [to_builtins(study) for study in studies], "seed": seed}
    print(audit_json(audited, settings) if as_json else audit_table(audited))
    if plot is not None and drawable:
        plot_audit(audited, plot)
    if any(row.caught_by for row in audited):
        return VIOLATION
    return REFUSED if any(row.skipped for row in audited) else 0


def run_attack(studies: tuple[Study, ...], seed: int | None, as_json: bool) -> int:
    """Attack naive Laplace noise and ours; 1 if ours does not stand."""
    source = _source(seed)
    line = ProgressLine(sys.stderr)
    line(0, 1, "floating-point attack")
    try:
        attacked = attack_floating_point(studies[0].epsilon, source=source)
    finally:
        line.clear()
    settings = {"epsilon": studies[0].epsilon, "seed": seed}
    print(attack_json(attacked, settings) if as_json else attack_table(attacked))
    return int(any(row.broken for row in attacked if row.ours))


def read_studies(study: Path | None, epsilon: float | None) -> tuple[Study, ...]:
    """Return the study of a file, as a device reads it, or the default ones at `epsilon`; both together are refused."""
    if study is not None and epsilon is not None:
        raise InputError(f"The study file {study} has an epsilon of its own. Leave out --epsilon, or edit the file.")
    if study is not None:
        return (Study.read(study),)
    return default_studies(1.0 if epsilon is None else privacy_parameter("--epsilon", epsilon))


def _source(seed: int | None) -> Source | None:
    return None if seed is None else SeededSource(whole_number("--seed", seed, 0, 2**63 - 1))
