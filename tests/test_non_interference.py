"""Non-interference: with mechanisms that ignore their input, nothing that can be seen depends on anything private.

Mechanisms are the only way from private data to the outside, so with blind ones private values, labels and, where masks
are hidden, masks and all features can be changed at will: errors, warnings, prints, words drawn, the fitted model with
all it keeps, its account, its predictions and all that the curator's functions are given stay the same, bit for bit.
"""

from __future__ import annotations

import warnings

import msgspec
import numpy as np
import pytest

from semildp import HistOfTreeRegressor, InputError, SemiPrivateRegressor
from semildp.protocols import cohorts, joint
from semildp.sources import SeededSource
from tests.flow.blind import blind_mechanisms
from tests.flow.people import CHANGES, choices, crowd, others
from tests.flow.watched import differences, seen
from tests.flow.ways import DEFAULT_LEARNER, GIVEN, HIDDEN, WAYS


@pytest.fixture(autouse=True, scope="module")
def few_are_asked_like_many():
    """So few people would all be asked for labels."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cohorts, "FEW", 0)
        yield


X, Y = crowd()
MASKS = choices()
QUERIES = np.random.default_rng(3).uniform(size=(40, X.shape[1]))
# What learners are given is the same for all, and the keeper keeps it: others see one choice of masks.
OTHER_LEARNERS = [way for way in WAYS if way.startswith("semi-private") and "keeper" not in way]
CASES = [
    (way, chosen)
    for way in WAYS
    for chosen in MASKS
    if (way != "LabelDT" or chosen == "none") and (way not in OTHER_LEARNERS or chosen == "personal")
]


@pytest.fixture
def blind(monkeypatch):
    blind_mechanisms(monkeypatch)


def changes_of(way, chosen):
    """All others, values outside, and one change more: over its four choices of masks a way sees all of them."""
    always = ("all others", "outside")
    rest = [change for change in CHANGES if change not in always]
    return (*always, rest[(1 + list(MASKS).index(chosen) + list(WAYS).index(way)) % len(rest)])


def watch(build, rows, labels, mask, **settings):
    return seen(lambda: build(**{"random_state": 0, "clip": True, **settings}), rows, labels, mask, QUERIES)


@pytest.mark.parametrize(("way", "chosen"), CASES)
def test_nothing_seen_depends_on_private_values_and_labels(way, chosen, blind):
    mask = MASKS[chosen]
    first = watch(WAYS[way], X, Y, mask)
    assert first["error"] is None
    for change in changes_of(way, chosen):
        assert differences(first, watch(WAYS[way], *others(change, X, Y, mask), mask)) == [], change


def test_every_way_and_every_choice_of_masks_see_every_change():
    all_masks = [way for way in WAYS if sum(way == each for each, _ in CASES) == len(MASKS)]
    assert len(all_masks) > 30
    for way in all_masks:
        assert {change for chosen in MASKS for change in changes_of(way, chosen)} == set(CHANGES)
    for chosen in MASKS:
        ways = [way for way, mask in CASES if mask == chosen]
        assert {change for way in ways for change in changes_of(way, chosen)} == set(CHANGES)


@pytest.mark.parametrize("way", DEFAULT_LEARNER)
def test_nothing_seen_depends_on_them_with_the_default_learner(way, blind):
    mask = MASKS["personal"]
    first = watch(DEFAULT_LEARNER[way], X, Y, mask)
    assert differences(first, watch(DEFAULT_LEARNER[way], *others("all others", X, Y, mask), mask)) == []


@pytest.mark.parametrize("way", HIDDEN)
def test_nothing_seen_depends_on_masks_and_features_where_masks_are_hidden(way, blind):
    first = watch(HIDDEN[way], X, Y, MASKS["personal"])
    assert first["error"] is None
    for chosen, mask in MASKS.items():
        for change in changes_of(way, chosen):
            everything = others(change, X, Y, np.ones_like(mask))
            assert differences(first, watch(HIDDEN[way], *everything, mask)) == [], (chosen, change)


@pytest.mark.parametrize(("way", "chosen"), [(way, chosen) for way, chosen in CASES if chosen in ("aligned", "none")])
def test_nor_with_the_operating_system_s_words_and_without_clipping(way, chosen, blind):
    mask = MASKS[chosen]
    settings = {"random_state": None, "clip": False}
    first = watch(WAYS[way], X, Y, mask, **settings)
    assert first["error"] is None
    for change in ("all others", "at the ends"):
        assert differences(first, watch(WAYS[way], *others(change, X, Y, mask), mask, **settings)) == [], change


WRONG = {
    "a public entry is missing": lambda X, mask: (np.where(~mask & (X < 0.1), np.nan, X), {}),
    "a public entry is outside": lambda X, mask: (np.where(~mask & (X < 0.1), -3.0, X), {"clip": False}),
    "epsilon is 0": lambda X, mask: (X, {"epsilon": 0}),
    "bounds of another number of features": lambda X, mask: (X, {"feature_bounds": [(0, 1)] * 9}),
    "bounds the wrong way round": lambda X, mask: (X, {"label_bounds": (1, 0)}),
    "no such source": lambda X, mask: (X, {"random_state": "dice"}),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("way", ["joint, defaults", "paper, defaults", "semi-private, split, line, 8", "ParDT", "KRR"])
def test_a_refusal_says_the_same_whatever_is_private(way, wrong, blind):
    mask = MASKS["personal"]
    rows, settings = WRONG[wrong](X, mask)
    first = watch(WAYS[way], rows, Y, mask, **settings)
    assert first["error"] is not None
    for change in ("all others", "one person", "at the ends"):
        again = watch(WAYS[way], *others(change, rows, Y, mask), mask, **settings)
        assert differences(first, again) == [], change


def test_the_ways_include_residuals_alone_and_with_private_features():
    kinds = {}
    for way, build in WAYS.items():
        if way.startswith("semi-private"):
            model = build(random_state=0).fit(X, Y, mask=MASKS["aligned"])
            asked = any(question.asks[0].partition.features for question in model.questions_)
            kinds.setdefault(asked, []).append(way)
    assert {len(ways) for ways in kinds.values()} == {6}


def test_personal_choices_hide_entries_of_features_that_are_mostly_public():
    hidden = MASKS["personal"].mean(axis=0)
    assert hidden[0] > 0.5
    assert ((hidden[1:] > 0.05) & (hidden[1:] < 0.5)).all()
    assert (~MASKS["personal"]).all(axis=1).any()


class KeepsRows(HistOfTreeRegressor):
    def fit(self, X, y, mask=None):
        super().fit(X, y, mask)
        self.last_ = [X[mask][-1:]]
        return self


class KeepsALabelDeepInside(SemiPrivateRegressor):
    def fit(self, X, y, mask=None):
        super().fit(X, y, mask)
        self.learner_ = msgspec.structs.replace(self.learner_, mean=(y[0] - 1) / 3)
        return self


class SaysALabel(HistOfTreeRegressor):
    def fit(self, X, y, mask=None):
        raise InputError(f"Got {y.max():.6g}.")


class WarnsOfALabel(HistOfTreeRegressor):
    def fit(self, X, y, mask=None):
        warnings.warn(f"{int((y > 1).sum())} people are above 1", stacklevel=2)
        return super().fit(X, y, mask)


class PrintsACount(HistOfTreeRegressor):
    def fit(self, X, y, mask=None):
        type(self).above = int((y > 1).sum())
        return super().fit(X, y, mask)

    def report(self):
        print(f"{self.above} people are above 1")


class DrawsByLabel(HistOfTreeRegressor):
    def fit(self, X, y, mask=None):
        SeededSource(0).words(int((y > 1).sum()))
        return super().fit(X, y, mask)


class PredictsALabel(HistOfTreeRegressor):
    def fit(self, X, y, mask=None):
        super().fit(X, y, mask)
        type(self).largest = y.max()
        return self

    def predict(self, X):
        return super().predict(X) + 1e-9 * self.largest


class TellsTheCurator(HistOfTreeRegressor):
    def fit(self, X, y, mask=None):
        joint.plan_depth(len(X), 1.0 + (y > 1).sum())
        return super().fit(X, y, mask)


class CutsByLabel(HistOfTreeRegressor):
    """Bounds from the data, though they were given."""

    def fit(self, X, y, mask=None):
        given, self.label_bounds = self.label_bounds, (float(y.min()), float(y.max()))
        super().fit(X, y, mask)
        self.label_bounds = given
        return self


PLANTED = {
    KeepsRows: "state",
    KeepsALabelDeepInside: "state",
    SaysALabel: "error",
    WarnsOfALabel: "warnings",
    PrintsACount: "printed",
    DrawsByLabel: "words drawn",
    PredictsALabel: "predictions",
    TellsTheCurator: "given to the curator",
    CutsByLabel: "state",
}


@pytest.mark.parametrize("leak", PLANTED, ids=lambda kind: kind.__name__)
def test_planted_leaks_are_seen(leak, blind):
    """Each leaks in a way of its own; what gives it away is named."""
    mask = MASKS["aligned"]

    def build(**settings):
        return leak(4.0, **GIVEN, **settings)

    same = watch(build, X, Y, mask), watch(build, X, Y, mask)
    assert differences(*same) == [], "the same people give the same: the leak is the difference"
    assert PLANTED[leak] in differences(same[0], watch(build, *others("all others", X, Y, mask), mask))
    if leak in (PrintsACount, PredictsALabel, WarnsOfALabel, TellsTheCurator):
        assert "state" not in differences(same[0], watch(build, *others("all others", X, Y, mask), mask))


def test_seeing_mechanisms_are_seen():
    """Without blindness everything differs: the test above compares what private data do reach."""
    mask = MASKS["aligned"]
    for way in ("joint, defaults", "paper, defaults", "semi-private, split, keeper, 8", "ParDT", "KRR", "Hist"):
        found = differences(watch(WAYS[way], X, Y, mask), watch(WAYS[way], *others("all others", X, Y, mask), mask))
        assert {"state", "predictions"} <= set(found)
