"""The audit of studies whose label is a class: claims stand, and a device that tells the class is caught."""

from __future__ import annotations

import numpy as np
import pytest

from semildp.audit import Visit, audit_visit, default_studies
from semildp.audit.visits.visits import study_visits
from semildp.mechanisms import ClassResponse
from semildp.sources import SeededSource
from semildp.study import Classes

STUDIES = [s for s in default_studies(1.0) if isinstance(s.label, Classes) and s.protocol == "hist-of-tree-joint"]
VISITS = {visit.name: visit for visit in study_visits(STUDIES[0]) if isinstance(visit, Visit)}


def test_the_class_alone_and_with_cells_is_visited():
    assert any("class alone" in name for name in VISITS)
    assert len(VISITS) == 3
    assert all("classes" in name for name in VISITS)


@pytest.mark.parametrize("name", VISITS)
def test_the_claim_stands(name):
    """The laws are exact; what is drawn is held against them, wrongly once in a million."""
    audited = audit_visit(VISITS[name], source=SeededSource(0), trials=4000)
    assert audited.claimed == 1.0
    assert [finding.sentence for finding in audited.findings if not finding.ok] == []


def test_a_device_that_tells_the_class_now_and_then_is_caught(monkeypatch):
    own = ClassResponse.send

    def send(self, candidate, level, source):
        person, value = own(self, candidate, level, source)
        if self.kind != "generalised":
            return person, value
        return person, np.where(np.arange(len(value)) % 10 == 9, candidate * self.levels + level, value)

    monkeypatch.setattr(ClassResponse, "send", send)
    alone = next(visit for name, visit in VISITS.items() if "class alone" in name)
    audited = audit_visit(alone, source=SeededSource(0), trials=20_000)
    assert any(not finding.ok for finding in audited.findings)
