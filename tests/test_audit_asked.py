"""The audit sees everything that a study asks: every wave, windows, residuals with any number of private features."""

from __future__ import annotations

import numpy as np
import pytest

from semildp.audit.visits import visits
from semildp.audit.visits.asked import asked_of
from semildp.audit.visits.studies import default_studies
from semildp.wire.messages import AskLabel, AskPair, AskSigned

pytestmark = pytest.mark.xdist_group("asked")  # one worker, so that what is asked is found once
MASKS = ([True, False, False], [True, False, True], [True, True, True])


@pytest.fixture(autouse=True, scope="module")
def found_once():
    """What people are asked is looked at by both tests; it is found once."""
    kept = {}

    def once(study, hidden, seed=0):
        key = study.digest, hidden.tobytes(), seed
        if key not in kept:
            kept[key] = list(asked_of(study, hidden, seed))
        return kept[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(visits, "asked_of", once)
        yield


def studies(participation):
    """SemiPrivate at epsilons where it asks about no private feature, about one at a time, and about two."""
    every = [study for epsilon in (0.01, 1.0, 8.0) for study in default_studies(epsilon)]
    return [s for s in every if (s.protocol, s.participation) == ("semi-private", participation)]


def asks_of(participation):
    for study in studies(participation):
        for hidden in MASKS:
            for asked in visits.asked_of(study, np.array(hidden)):
                yield study, [ask for question in asked.questions for ask in question.asks]


@pytest.mark.parametrize("participation", ["split", "both"])
def test_label_waves_windows_and_any_number_of_features(participation):
    windows, features, categories, turned = set(), set(), set(), set()
    for study, asks in asks_of(participation):
        kinds = [type(ask) for ask in asks]
        residuals = (AskPair, AskSigned)
        if participation == "split":
            assert kinds in [[AskLabel], *([kind] for kind in residuals)]
        else:
            assert kinds in [[AskLabel, kind] for kind in residuals]
        for ask in asks:
            if isinstance(ask, AskLabel):
                windows.add((ask.low, ask.high) != study.label_bounds)
            else:
                features.add(len(ask.partition.features))
                turned.add(isinstance(ask, AskSigned))
                categories.add(2 in ask.partition.features)
    assert windows == {False, True}
    assert features == {0, 1, 2}
    assert turned == {False, True}
    assert categories == {False, True}


@pytest.mark.parametrize("participation", ["split", "both"])
def test_no_question_is_left_out(participation):
    """Labels in the bounds and, but where noise hides the place, in a window; residuals. All visits have names."""
    for study in studies(participation)[1:]:
        names = [visit.name for visit in visits.study_visits(study)]
        assert len(names) == len(set(names))
        assert any("window" in name for name in names)
        assert any("bins" in name or "residual alone" in name for name in names)
