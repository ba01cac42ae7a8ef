"""Simulated studies whose reports are written to files."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from semildp.protocols import protocol_of
from semildp.simulate import Simulated, simulate
from semildp.sources import seeded_sources
from semildp.stored import Reports, open_reports, write_reports
from tests.programs.studies import SEED, Case


@cache
def simulated(case: Case) -> Simulated:
    """Return a simulated study, its reports kept."""
    sources = seeded_sources(protocol_of(case.study).streams, SEED)
    return simulate(case.study, *case.people(), sources=sources, keep=True)


def written(case: Case, folder: Path, **options: Any) -> Reports:
    """Write a study's reports, and open them."""
    return open_reports(write_reports(simulated(case).state, folder, seed=SEED, **options), case.study)
