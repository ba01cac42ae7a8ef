"""The paper's method and its competitors predict what they predicted when this was recorded, to the last bit."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest

from tests.recorded import cases

RECORDED = Path(__file__).parent / "recorded"


def families():
    """Cases by what they have in common: their first two words."""
    for name, each in cases.FILES.items():
        groups = defaultdict(list)
        for case in each():
            groups[" ".join(case[0].split()[:2])].append(case)
        for group, members in groups.items():
            yield pytest.param(name, members, id=f"{name}: {group}")


@pytest.mark.parametrize(("name", "members"), list(families()))
def test_predictions_are_those_recorded_to_the_last_bit(name, members):
    before = json.loads((RECORDED / f"{name}.json").read_text())
    now = {case: cases.recorded(cases.predictions(estimator, mask)) for case, estimator, mask in members}
    assert {case: row for case, row in now.items() if row != before[case]} == {}


@pytest.mark.parametrize("name", cases.FILES)
def test_every_recorded_fit_is_checked(name):
    recorded = json.loads((RECORDED / f"{name}.json").read_text())
    assert list(recorded) == [case for case, _, _ in cases.FILES[name]()]
    assert len({row["sha256"] for row in recorded.values()}) > 0.9 * len(recorded)  # they do differ from one another
