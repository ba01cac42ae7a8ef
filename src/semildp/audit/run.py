"""The audit of a study: one of every mechanism, and every visit. A new mechanism is a line in `SHELF`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from semildp._checks import instance_of
from semildp.audit.contract import check_trials
from semildp.audit.examine import audit_mechanism, audit_visit
from semildp.audit.search.lower_bound import TRIALS
from semildp.audit.show.report import NOT_SEARCHED, Audited
from semildp.audit.visits.studies import default_studies
from semildp.audit.visits.visits import Skipped, study_visits
from semildp.errors import InputError
from semildp.mechanisms import (
    BinaryResponse,
    DiscreteLaplace,
    GeneralisedResponse,
    Mechanism,
    PairedResponse,
    SubsetResponse,
    WindowResponse,
    label_grid,
)
from semildp.sources import Source, check_source
from semildp.study import Number, Study

_BINS, _LARGEST_BITS, _LARGEST_PAIRS = 2, 12, 6  # Candidates whose 2**k or 3**k outputs are listed.
MANY = 1025  # Values of a large domain: code that does something else there must be seen too.


def _steps(study: Study, mechanism: str) -> int:
    low, high = study.label_bounds if isinstance(study.label, Number) else (0.0, 1.0)
    return label_grid(mechanism, low, high, study.epsilon).steps


SHELF: dict[str, Callable[[Study], Mechanism]] = {
    "DiscreteLaplace": lambda study: DiscreteLaplace(study.epsilon, _steps(study, "laplace")),
    "WindowResponse": lambda study: WindowResponse(study.epsilon, _steps(study, "window")),
    "GeneralisedResponse": lambda study: GeneralisedResponse(study.epsilon, 4 * _BINS),
    "BinaryResponse": lambda study: BinaryResponse(study.epsilon, min(4 * _BINS, _LARGEST_BITS)),
    "SubsetResponse": lambda study: SubsetResponse(study.epsilon, min(4 * _BINS, _LARGEST_BITS)),
    "PairedResponse": lambda study: PairedResponse(study.epsilon, min(4 * _BINS, _LARGEST_PAIRS)),
}


LARGE: dict[str, Callable[[Study], Mechanism]] = {
    "WindowResponse": lambda study: WindowResponse(study.epsilon, MANY - 1),
    "GeneralisedResponse": lambda study: GeneralisedResponse(study.epsilon, MANY),
    "BinaryResponse": lambda study: BinaryResponse(study.epsilon, MANY),
    "SubsetResponse": lambda study: SubsetResponse(study.epsilon, MANY),
    "PairedResponse": lambda study: PairedResponse(study.epsilon, MANY),
}  # DiscreteLaplace has as many already


def audit_study(
    *studies: Study,
    source: Source | None = None,
    trials: int = TRIALS,
    progress: Callable[[int, int, str], None] | None = None,
) -> list[Audited]:
    """Audit every mechanism, with few values and with many, and every visit that people make in the studies.

    Parameters
    ----------
    studies
        What is asked; by default `default_studies()`. Mechanisms are audited at the first one's epsilon.
    source, trials
        As in `audit_mechanism`.
    progress
        Called before each step with its number, the number of steps, and what is audited.
    """
    studies = studies or default_studies()
    for study in studies:
        instance_of("study", study, Study)
    if source is not None:
        check_source(source)
    check_trials(trials)
    study = studies[0]
    visits = list(study_visits(*studies))  # here a study is refused that its protocol cannot conduct
    shelf = {**SHELF, **{f"{name}, {MANY:,} values": build for name, build in LARGE.items()}}
    n, done = len(shelf) + len(visits), list[Audited]()
    for name, build in shelf.items():
        _tell(progress, len(done), n, name)
        with_name = partial(audit_mechanism, build(study), name=name, source=source, trials=trials)
        done.append(_audited(with_name, name, "mechanism", study.epsilon))
    for visit in visits:
        _tell(progress, len(done), n, visit.name)
        if isinstance(visit, Skipped):
            done.append(_skipped(visit.name, "visit", visit.epsilon, visit.reason))
        else:
            whole = partial(audit_visit, visit, source=source, trials=trials)
            done.append(_audited(whole, visit.name, "visit", visit.epsilon))
    return done


def _audited(audit: Callable[[], Audited], name: str, kind: str, claimed: float) -> Audited:
    """Audit, or say in the row why it cannot be done."""
    try:
        return audit()
    except InputError as problem:
        return _skipped(name, kind, claimed, str(problem))


def _skipped(name: str, kind: str, claimed: float, reason: str) -> Audited:
    return Audited(name, kind, claimed, None, NOT_SEARCHED, (), None, 0.0, reason)


def _tell(progress: Callable[[int, int, str], None] | None, done: int, n: int, name: str) -> None:
    if progress is not None:
        progress(done, n, name)
