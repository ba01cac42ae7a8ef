"""Every broken mechanism and client is caught, by the check named with it.

A correct one is accused by a check with probability at most a few times 1e-6; `test_audit.py` shows that none is.
"""

from __future__ import annotations

import importlib
import pkgutil

import numpy as np
import pytest

import tests.broken
from semildp.audit import ViolationError, Visit, audit_mechanism, audit_visit, examine
from semildp.audit.checks.order import check_order
from semildp.audit.checks.words import check_words
from semildp.mechanisms import GeneralisedResponse
from semildp.sources import SeededSource, Source, SystemSource
from tests.battery.broken_sources import BROKEN, HalfZero
from tests.broken.true_mark_first import visit

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
    "one_grid_point_bare": ("frequencies",),
    "doubled_beyond_a_thousand": ("frequencies",),
    "one_in_fifty_bare": ("frequencies",),
    "one_in_hundred_bare": ("frequencies",),
    "centre_by_value": ("frequencies", "lower bound"),
    "missing_filled": ("frequencies",),
    "true_mark_first": ("order of marks", "lower bound"),
    "order_by_truth": ("order of marks", "lower bound"),
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


def test_marks_in_a_random_order_are_no_fault() -> None:
    """Any order will do that does not depend on the truth; false alarm at most 5e-9."""

    def shuffled(person: np.ndarray, value: np.ndarray, truth: int, source: Source) -> np.ndarray:
        return np.lexsort((source.words(len(value)), person))

    check_order(visit("shuffled", shuffled), SeededSource(2))


@pytest.mark.parametrize("broken", BROKEN, ids=lambda kind: kind.__name__)
def test_words_that_are_not_random_are_caught(broken: type[SystemSource]) -> None:
    with pytest.raises(ViolationError, match=r"came before|a bit"):
        check_words(broken)


def test_the_system_s_words_are_random_and_part_of_the_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    """False alarm at most 1e-7: see `check_words`."""
    check_words(SystemSource)
    monkeypatch.setattr(examine, "SystemSource", HalfZero)
    audited = audit_mechanism(GeneralisedResponse(1.0, 3), source=SeededSource(1), trials=1)
    assert audited.caught_by == ("system's words",)


def test_every_fault_is_tried() -> None:
    files = {name for _, name, _ in pkgutil.iter_modules(tests.broken.__path__)}
    assert files - {"clients"} == set(CAUGHT)
