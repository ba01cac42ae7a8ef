"""The paper's corner cases: label privacy, full local privacy, estimation with public data, hidden masks."""

from __future__ import annotations

import numpy as np
import pytest

from semildp import HistOfTreeRegressor, masks
from semildp.curator.pair_plan import plan_bins
from tests.people import BOUNDS, simulate

X, Y, F = simulate(4000)
SPLITTERS = ["max-edge", "cart", "random"]


def fitted(mask, epsilon=4.0, **parameters):
    model = HistOfTreeRegressor.paper(epsilon, **BOUNDS, random_state=0, **parameters).fit(X, Y, mask=mask)
    assert np.isfinite(model.predict(X)).all()
    return model


@pytest.mark.parametrize("mechanism", ["grr", "rr"])
@pytest.mark.parametrize("splitter", SPLITTERS)
def test_no_private_feature_is_label_privacy(splitter, mechanism):
    model = fitted(None, splitter=splitter, cell_mechanism=mechanism, depth=3)
    assert model.partition_.histogram_features == ()
    assert model.partition_.count(X, np.zeros(X.shape, dtype=bool)).tolist() == [1] * len(X)
    # Every cell is public knowledge, so counts are exact and nobody spends anything on features.
    np.testing.assert_array_equal(model.estimate_.counts, np.bincount(model.partition_.cell(X)))
    assert model.totals_.people.candidates.sum() == 0
    assert model.privacy_.epsilon == pytest.approx(2.0)


@pytest.mark.parametrize("mechanism", ["grr", "rr"])
@pytest.mark.parametrize("splitter", ["max-edge", "random"])
def test_everything_private_is_local_privacy(splitter, mechanism):
    mask = masks.first(len(X), 5, 5)
    model = fitted(mask, splitter=splitter, cell_mechanism=mechanism, depth=3, n_histogram_features=0)
    assert model.partition_.count(np.full(X.shape, np.nan), mask).tolist() == [8] * len(X)
    assert model.totals_.people.known.sum() == 0


def test_everything_private_gives_cart_nothing_to_split():
    assert fitted(masks.first(len(X), 5, 5), splitter="cart", depth=3).partition_.tree.n_leaves == 1


@pytest.mark.parametrize("bins", [1, 2, "auto"])
def test_all_features_in_the_histogram(bins):
    model = fitted(masks.first(len(X), 5, 5), n_histogram_features=5, bins=bins)
    assert model.partition_.tree.n_leaves == 1
    assert model.partition_.n_cells == model.shape_.bins**5


@pytest.mark.parametrize("splitter", SPLITTERS)
def test_a_few_public_people_guide_the_tree_for_the_rest(splitter):
    """Everything private for most people and nothing for a few: estimation with public data, s = 0."""
    mask = masks.first(len(X), 5, 5)
    mask[:400] = False
    fitted(mask, splitter=splitter)  # all "auto" runs too
    explicit = fitted(mask, splitter=splitter, depth=2, n_histogram_features=0)
    assert explicit.totals_.people.known.sum() == 400
    calm = fitted(mask, splitter=splitter, depth=2, n_histogram_features=0, epsilon=1024.0)
    if splitter == "cart":  # found from 400 people: the features that matter are 0, 1 and 4
        assert calm.partition_.tree.feature[0] in (0, 1, 4)


def test_hidden_masks_act_as_if_everything_were_private():
    mask = masks.heavy_tail(len(X), 5, 1.0)
    hidden = fitted(mask, hide_mask=True, splitter="random", depth=3, n_histogram_features=0)
    other = fitted(np.roll(mask, 1, axis=1), hide_mask=True, splitter="random", depth=3, n_histogram_features=0)
    np.testing.assert_array_equal(hidden.predict(X), other.predict(X))
    assert hidden.totals_.people.known.sum() == 0
    assert hidden.totals_.sized_candidates.tolist() == [8 * len(X)] * 8


def test_hidden_masks_refuse_nobody_by_their_mask():
    """What would be refused of a public entry, missing or out of bounds, must not show that it was public."""
    rows = X.copy()
    rows[0, 2], rows[1, 3] = np.nan, 7.0
    model = HistOfTreeRegressor.paper(2.0, **BOUNDS, hide_mask=True, splitter="random", random_state=0)
    assert np.isfinite(model.fit(rows, Y, mask=np.zeros(X.shape)).predict(X)).all()


@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("mechanism", ["grr", "rr"])
def test_single_feature(splitter, mechanism):
    for mask in (masks.first(len(X), 1, 0), masks.first(len(X), 1, 1)):
        model = HistOfTreeRegressor.paper(2.0, **BOUNDS, splitter=splitter, cell_mechanism=mechanism, random_state=0)
        assert np.isfinite(model.fit(X[:, :1], Y, mask=mask).predict(X[:, :1])).all()


def joint(mask, epsilon=4.0, **parameters):
    """The default: one visit, cell and label together."""
    model = HistOfTreeRegressor(epsilon, **BOUNDS, random_state=0, **parameters).fit(X, Y, mask=mask)
    assert ((model.predict(X) >= -2) & (model.predict(X) <= 4.5)).all()
    return model


@pytest.mark.parametrize("bins", [1, 2, "auto"])
def test_all_features_in_the_histogram_in_one_visit(bins):
    for private in (0, 5):
        model = joint(masks.first(len(X), 5, private), n_histogram_features=5, bins=bins)
        assert (model.shape_.depth, model.partition_.n_cells) == (0, model.shape_.bins**5)


@pytest.mark.parametrize("s", [1, 2, 4])
def test_a_deep_tree_leaves_room_for_few_bins(s):
    """As many bins as fit are chosen: a depth that is given, and allowed, is not refused because of them."""
    for depth in range(21):
        assert plan_bins(10**6, s, depth, 4.0) ** s * 2**depth <= 2**20
    assert plan_bins(10**6, s, 6, 4.0) > 1


@pytest.mark.parametrize("splitter", SPLITTERS)
def test_one_visit_with_nothing_and_with_everything_private(splitter):
    assert joint(None, splitter=splitter).partition_.histogram_features == ()
    assert joint(masks.first(len(X), 5, 5), splitter=splitter).shape_.n_histogram_features == 0


def test_one_visit_with_hidden_masks_acts_as_if_everything_were_private():
    mask = masks.heavy_tail(len(X), 5, 1.0)
    hidden = joint(mask, hide_mask=True, splitter="random")
    other = joint(np.roll(mask, 1, axis=1), hide_mask=True, splitter="random")
    np.testing.assert_array_equal(hidden.predict(X), other.predict(X))
