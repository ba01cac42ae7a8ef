"""The privacy account states what each group of people spent, and never less than they did."""

from __future__ import annotations

import numpy as np
import pytest

from semildp import HistOfTreeRegressor, SemiPrivateRegressor, masks
from semildp.baselines import (
    LabelTreeRegressor,
    PrivateHistogramRegressor,
    PublicTreeRegressor,
    RandomizedFeatureTreeRegressor,
)
from semildp.mechanisms import (
    BinaryResponse,
    DiscreteLaplace,
    GeneralisedResponse,
    PairedResponse,
    SubsetResponse,
    WindowResponse,
)
from tests.people import BOUNDS, simulate

X, Y, _ = simulate(300)
MASK = masks.heavy_tail(300, 5, 1.0)
SIZES, PEOPLE = np.unique(MASK.sum(axis=1), return_counts=True)


def test_histoftree_splits_the_budget():
    model = HistOfTreeRegressor.paper(2.0, **BOUNDS, label_share=0.7, bins=2, n_histogram_features=2, random_state=0)
    model.fit(X, Y, mask=MASK)
    groups = model.privacy_.groups
    assert [(g.n_private, g.n_people) for g in groups] == list(zip(SIZES, PEOPLE, strict=True))
    assert all(g.label_epsilon == pytest.approx(1.4) and g.total <= 2.0 for g in groups)
    assert model.privacy_.epsilon == pytest.approx(2.0)


def test_where_the_cell_is_public_knowledge_nothing_is_spent_on_it():
    model = HistOfTreeRegressor.paper(2.0, **BOUNDS, private_features=[0], bins=1, depth=2, random_state=0).fit(X, Y)
    assert model.privacy_.groups[0].feature_epsilon == 0.0


def test_who_hides_no_feature_spends_on_the_label_only():
    model = HistOfTreeRegressor.paper(2.0, **BOUNDS, random_state=0).fit(X, Y)
    (group,) = model.privacy_.groups
    assert (group.n_private, group.feature_epsilon, model.privacy_.epsilon) == (0, 0.0, 1.0)


def test_hidden_masks_are_not_in_the_account():
    model = HistOfTreeRegressor.paper(2.0, **BOUNDS, hide_mask=True, random_state=0).fit(X, Y, mask=MASK)
    (group,) = model.privacy_.groups
    assert (group.n_private, group.n_people) == (5, 300)
    assert "Nothing held fixed" in model.privacy_.definition
    assert not any("public features" in item for item in model.privacy_.sent)


@pytest.mark.parametrize("baseline", [PublicTreeRegressor, RandomizedFeatureTreeRegressor, PrivateHistogramRegressor])
def test_baselines_spend_epsilon_and_no_more(baseline):
    model = baseline(2.0, **BOUNDS, random_state=0).fit(X, Y, mask=MASK)
    assert all(g.total == pytest.approx(2.0) for g in model.privacy_.groups)
    assert sum(g.n_people for g in model.privacy_.groups) == 300


WAYS = {
    "HistOfTree, split": lambda: HistOfTreeRegressor(2.0, **BOUNDS, random_state=0),
    "HistOfTree, both": lambda: HistOfTreeRegressor(2.0, **BOUNDS, participation="both", random_state=0),
    "the paper, grr": lambda: HistOfTreeRegressor.paper(2.0, **BOUNDS, bins=2, random_state=0),
    "the paper, rr": lambda: HistOfTreeRegressor.paper(2.0, **BOUNDS, bins=2, cell_mechanism="rr", random_state=0),
    "SemiPrivate, split": lambda: SemiPrivateRegressor(2.0, **BOUNDS, random_state=0),
    "SemiPrivate, both": lambda: SemiPrivateRegressor(2.0, **BOUNDS, participation="both", random_state=0),
    "ParDT": lambda: PublicTreeRegressor(2.0, **BOUNDS, random_state=0),
    "KRR": lambda: RandomizedFeatureTreeRegressor(2.0, **BOUNDS, random_state=0),
    "LabelDT": lambda: LabelTreeRegressor(2.0, **BOUNDS, random_state=0),
}
SOME_HIDE = np.where(np.arange(300)[:, None] < 200, MASK, False)
CHOICES = {"heavy tail": MASK, "a third hides nothing": SOME_HIDE, "nobody hides": np.zeros_like(MASK)}


@pytest.fixture
def spent(monkeypatch):
    """What all people together spend, counted where it is spent: every draw of every mechanism, people x epsilon."""
    counted = []
    for kind in (DiscreteLaplace, WindowResponse, GeneralisedResponse, BinaryResponse, SubsetResponse, PairedResponse):

        def counting(self, values, source, own=kind.randomise):
            sizes = np.broadcast_to(getattr(self, "n_candidates", 2), np.shape(values))
            alone = isinstance(self, PairedResponse)  # its only candidate still has a sign
            counted.append(self.epsilon * int((sizes > 1).sum() if not alone else len(values)))
            return own(self, values, source)

        monkeypatch.setattr(kind, "randomise", counting)
    return counted


@pytest.mark.parametrize("chosen", CHOICES)
@pytest.mark.parametrize("way", WAYS)
def test_the_account_never_states_less_than_was_spent(way, chosen, spent):
    mask = CHOICES[chosen]
    if way == "LabelDT" and mask.any():
        pytest.skip("it refuses private features")
    account = WAYS[way]().fit(X, Y, mask=mask).privacy_
    stated = sum(group.n_people * group.total for group in account.groups)
    assert stated >= sum(spent) * (1 - 1e-12)
    assert stated == pytest.approx(sum(spent)) or way in ("SemiPrivate, both", "the paper, grr", "the paper, rr")
    assert account.epsilon == pytest.approx(max(group.total for group in account.groups))
    assert account.epsilon <= 2.0
    assert sum(group.n_people for group in account.groups) == len(mask)


def test_who_hides_nothing_and_is_asked_twice_spends_all_of_it():
    """Cell and label go together in the second round: with a public cell, it is the label that is sent again."""
    model = HistOfTreeRegressor(2.0, **BOUNDS, participation="both", random_state=0).fit(X, Y)
    (group,) = model.privacy_.groups
    assert (group.n_private, group.label_epsilon, group.feature_epsilon) == (0, 2.0, 0.0)
    assert model.privacy_.epsilon == 2.0
