"""The privacy account states what each group of people spent, and never less than they did."""

from __future__ import annotations

import numpy as np
import pytest

from semildp import HistOfTreeRegressor, masks
from semildp.baselines import PrivateHistogramRegressor, PublicTreeRegressor, RandomizedFeatureTreeRegressor
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
