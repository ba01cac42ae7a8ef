"""Every broken mechanism and client is caught, by the check named with it.

A correct one is accused by a check with probability at most a few times 1e-6; `test_audit.py` shows that none is.
"""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import tests.broken
from semildp.audit import Visit, audit_mechanism, audit_visit
from semildp.sources import SeededSource

CAUGHT = {
    "last_bit_exact": ("frequencies", "lower bound"),
    "off_by_one": ("frequencies", "lower bound"),
    "global_seed": ("fresh randomness",),
    "reused_seed": ("fresh randomness",),
    "half_range": ("exact ratio", "lower bound"),
    "label_range_from_data": ("lower bound",),
    "float_laplace": ("lower bound",),
    "budget_spent_twice": ("lower bound",),
    "private_candidates": ("lower bound",),
    "redrawn_per_cell": ("lower bound",),
    "private_features_sent": ("lower bound",),
    "clipping_told": ("lower bound",),
    "rounds_share_noise": ("lower bound",),
}


@pytest.mark.parametrize("fault", CAUGHT)
def test_the_fault_is_caught_by(fault: str) -> None:
    subject = importlib.import_module(f"tests.broken.{fault}").build()
    audit = audit_visit if isinstance(subject, Visit) else audit_mechanism
    audited = audit(subject, source=SeededSource(1), trials=1 << 18)
    assert not audited.ok
    assert set(CAUGHT[fault]) <= set(audited.caught_by), f"Caught by {audited.caught_by}."


def test_reports_that_are_right_one_by_one_are_caught_together() -> None:
    """Frequencies of either report are as stated; only an event about both tells."""
    subject = importlib.import_module("tests.broken.rounds_share_noise").build()
    assert audit_visit(subject, source=SeededSource(1), trials=1 << 18).caught_by == ("lower bound",)


def test_every_fault_is_tried() -> None:
    files = {name for _, name, _ in pkgutil.iter_modules(tests.broken.__path__)}
    assert files - {"clients"} == set(CAUGHT)
