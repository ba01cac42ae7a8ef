"""Bounds that are given are used as they are, whatever the data; and public choices follow from public numbers."""

from __future__ import annotations

import numpy as np
import pytest

from semildp import HistOfTreeRegressor, SemiPrivateRegressor
from semildp.mechanisms import DiscreteLaplace, GeneralisedResponse, WindowResponse
from semildp.protocols import cohorts
from tests.flow.people import choices, crowd
from tests.flow.ways import WAYS


@pytest.fixture(autouse=True, scope="module")
def few_are_asked_like_many():
    """So few people would all be asked for labels."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cohorts, "FEW", 0)
        yield


X, Y = crowd()
MASKS = choices()
WIDE = {"label_bounds": (-50.0, 200.0), "feature_bounds": [(-4.0, 3.0), (-1.0, 9.0), (0.0, 1.0), (-7.0, 1.5)]}
LOW, HIGH = zip(*WIDE["feature_bounds"], strict=True)


@pytest.mark.parametrize("way", [way for way in WAYS if way.startswith(("joint", "paper"))])
def test_given_bounds_are_the_partition_s(way):
    build = WAYS[way]
    model = build(random_state=0, **WIDE).fit(X, Y, mask=MASKS["aligned"])
    assert (model.partition_.bounds.low, model.partition_.bounds.high) == (LOW, HIGH)


@pytest.mark.parametrize("participation", ["split", "both"])
def test_given_bounds_are_the_study_s(participation):
    model = SemiPrivateRegressor(8.0, **WIDE, participation=participation, random_state=0)
    model.fit(X, Y, mask=MASKS["aligned"])
    assert model.questions_
    assert (model.study_.bounds.low, model.study_.bounds.high) == (LOW, HIGH)
    assert model.study_.label_bounds == WIDE["label_bounds"]


@pytest.fixture
def handed(monkeypatch):
    """Every label point that is handed to a label mechanism, with the number of its steps."""
    seen = []
    for kind in (DiscreteLaplace, WindowResponse):

        def watched(self, values, source, own=kind.randomise):
            seen.append((np.array(values), self.steps))
            return own(self, values, source)

        monkeypatch.setattr(kind, "randomise", watched)
    return seen


@pytest.mark.filterwarnings("ignore::semildp.WideBoundsWarning")  # they are too wide on purpose
@pytest.mark.parametrize("way", [way for way in WAYS if way != "Hist" and not way.startswith("classes")])
def test_labels_are_placed_within_the_given_bounds(way, handed):
    """Labels fill a hundredth of the given range, near its low end: points further up would come from other bounds."""
    low, high = WIDE["label_bounds"]
    labels = low + (high - low) * np.linspace(0.0, 0.01, len(Y))
    WAYS[way](random_state=0, **WIDE).fit(X, labels, mask=MASKS["none"])
    assert handed
    for points, steps in handed:
        assert points.max() <= 0.01 * steps + 1


def test_histogram_labels_are_placed_within_the_given_bounds(handed):
    WAYS["Hist"](random_state=0, **WIDE).fit(X, np.full(len(Y), WIDE["label_bounds"][0]), mask=MASKS["none"])
    mass, label = handed
    assert set(mass[0].tolist()) == {0, mass[1]}
    assert set(label[0].tolist()) == {0, label[1] // 2}


@pytest.fixture
def bins(monkeypatch):
    """Every value handed to generalised response, with the number of candidates."""
    seen = []

    def watched(self, values, source, own=GeneralisedResponse.randomise):
        seen.append((np.array(values), self.n_candidates))
        return own(self, values, source)

    monkeypatch.setattr(GeneralisedResponse, "randomise", watched)
    return seen


def test_private_features_are_placed_within_the_given_bounds(bins):
    """Features lie in the lowest tenth of their bounds: all are in the first bin."""
    rows = np.asarray(LOW) + 0.1 * np.random.default_rng(0).uniform(size=X.shape) * (np.asarray(HIGH) - np.asarray(LOW))
    WAYS["KRR"](random_state=0, **WIDE).fit(rows, Y, mask=MASKS["all"])
    ((values, size),) = bins
    assert (set(values.tolist()), set(size.tolist())) == ({0}, {3})


@pytest.mark.parametrize("participation", ["split", "both"])
def test_who_is_asked_when_does_not_depend_on_labels(participation):
    """The cohorts follow from words alone: as many people answer in each wave, whatever the labels.

    What SemiPrivate asks them follows from reports as well.
    """
    accounts = set()
    for labels in (Y, Y[::-1].copy(), np.full_like(Y, 4.0), np.sort(Y)):
        for kind in (HistOfTreeRegressor, SemiPrivateRegressor):
            model = kind(8.0, label_bounds=(-2, 4.5), feature_bounds=(0, 1), participation=participation)
            model.set_params(random_state=3).fit(X, labels, mask=MASKS["personal"])
            waves = model.privacy_.groups
            if isinstance(model, SemiPrivateRegressor):
                waves = tuple(wave.n_people for wave in model.waves_)
            accounts.add((kind, waves))
    assert len(accounts) == 2
