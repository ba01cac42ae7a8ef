"""An audit that is shown in several ways is made once; only where what is shown is tested, not what is audited."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from semildp.audit import run
from semildp.audit.show.report import Audited
from semildp.sources import Source
from semildp.study import Study

_audited: dict[Any, list[Audited]] = {}


def forget() -> None:
    """Make the next audit anew."""
    _audited.clear()


def audited_once(
    *studies: Study, source: Source, trials: int, progress: Callable[[int, int, str], None]
) -> list[Audited]:
    """Stand in for `audit_study`: the same studies, seed, number of trials and mechanisms are audited once."""
    key = tuple(study.digest for study in studies), source.words(2).tobytes(), trials, tuple(run.SHELF)
    if key not in _audited:
        _audited[key] = run.audit_study(*studies, source=source, trials=trials, progress=progress)
    for number, row in enumerate(_audited[key]):
        progress(number, len(_audited[key]), row.name)
    return _audited[key]
