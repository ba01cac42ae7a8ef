"""Every refusal is one sentence that says what was required and what was got, and nothing is left half-done."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from semildp import HistOfTreeRegressor, InputError, PrivacyLeakWarning
from semildp.baselines import LabelTreeRegressor, PrivateHistogramRegressor, RandomizedFeatureTreeRegressor
from tests.people import BOUNDS, simulate

X, Y, _ = simulate(40)


MODES = (HistOfTreeRegressor, HistOfTreeRegressor.paper)
both_modes = pytest.mark.parametrize("estimator", MODES, ids=["default", "paper"])


def refused(sentence, X=X, y=Y, mask=None, estimators=MODES, **parameters):
    for estimator in estimators:
        model = estimator(**{**BOUNDS, "random_state": 0, **parameters})
        with pytest.raises(ValueError, match=sentence):
            model.fit(X, y, mask=mask)
        assert not hasattr(model, "privacy_"), "a refused fit must leave nothing behind"


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), "1", None, True])
def test_epsilon(epsilon):
    refused(r"`epsilon` must be a finite number above 0\. Got", epsilon=epsilon)


@pytest.mark.parametrize("share", [0, 1, -0.5, float("nan"), "half"])
def test_label_share(share):
    refused(r"`label_share` must be a number strictly between 0 and 1\. Got", label_share=share)


@pytest.mark.parametrize("bounds", [(4, -2), (1, 1), (float("nan"), 1), (0, float("inf")), (1,), 3, "wide", (0, "1")])
def test_label_bounds(bounds):
    refused(r"`label_bounds` must be two finite numbers, low < high\. Got", label_bounds=bounds)


@pytest.mark.parametrize("bounds", [(1, 0), (0, 0), (float("nan"), 1), (0, float("inf")), (0, 1, 2)])
def test_feature_bounds(bounds):
    refused(r"`feature_bounds.* must be two finite numbers, low < high\. Got", feature_bounds=bounds)


def test_feature_bounds_of_the_wrong_number_of_features():
    sentence = r"`feature_bounds` must be one \(low, high\) pair, or for each of 5 features a pair or a list"
    refused(sentence, feature_bounds=[(0, 1)] * 4)


def test_feature_bounds_by_unknown_name():
    refused(r"`feature_bounds` must be given for each feature", feature_bounds={"age": (0, 1)})


@both_modes
def test_missing_bounds_warn_and_say_what_to_pass(estimator):
    with pytest.warns(PrivacyLeakWarning) as caught:
        model = estimator(random_state=0).fit(X, Y)
    sentences = [str(w.message) for w in caught]
    assert any("`label_bounds` was not given and is taken from the private labels" in s for s in sentences)
    assert any("`feature_bounds` was not given and is taken from the data" in s for s in sentences)
    assert model.privacy_.leaks == ("feature_bounds", "label_bounds")


def test_labels_outside_their_bounds():
    refused(r"Labels must lie within label_bounds \(0\.0, 1\.0\).*pass clip=True", label_bounds=(0, 1))


def test_public_features_outside_their_bounds():
    refused(r"Public features must lie within their bounds.*pass clip=True", feature_bounds=(0, 0.5))


@both_modes
def test_clip_moves_what_is_outside(estimator):
    model = estimator(label_bounds=(0, 1), feature_bounds=(0, 0.5), clip=True, random_state=0).fit(X, Y)
    assert ((model.predict(X) >= 0) & (model.predict(X) <= 1)).all()


@both_modes
def test_private_features_outside_their_bounds_are_moved_silently(estimator):
    model = estimator(**{**BOUNDS, "feature_bounds": (0, 0.5)}, private_features=range(5), random_state=0)
    assert np.isfinite(model.fit(X, Y).predict(X)).all()


def test_missing_public_entry():
    holes = X.copy()
    holes[3, 2] = np.nan
    refused(r"Public features must not be missing\. Got NaN in 1 rows, feature 'x2'", X=holes, private_features=[0])


@both_modes
def test_missing_private_entry_is_allowed(estimator):
    holes = X.copy()
    holes[:, 0] = np.nan
    model = estimator(**BOUNDS, private_features=[0], bins=2, depth=1, random_state=0).fit(holes, Y)
    assert np.isfinite(model.predict(X)).all()


def test_missing_label():
    refused("NaN", y=np.where(np.arange(40) == 3, np.nan, Y))


@pytest.mark.parametrize("shape", [(40, 4), (39, 5), (40,), (5, 40)])
def test_mask_of_wrong_shape(shape):
    refused(r"`mask` must be of shape \(people, features\) = \(40, 5\)\. Got shape", mask=np.zeros(shape))


@pytest.mark.parametrize("value", [2, -1, 0.5, float("nan"), "yes"])
def test_mask_not_binary(value):
    mask = np.zeros((40, 5), dtype=object if isinstance(value, str) else float)
    mask[1, 1] = value
    refused(r"`mask` must be made of 0 \(public\) and 1 \(private\) only", mask=mask)


def test_mask_together_with_private_features():
    refused(r"Pass either `mask` .* or `private_features` .*, not both", mask=np.zeros((40, 5)), private_features=[0])


@pytest.mark.parametrize("feature", ["income", 5, -1, 1.5, None])
def test_unknown_private_feature(feature):
    refused(r"`private_features` must be .*\. Got", private_features=[feature])


def test_unknown_feature_name_lists_the_known_ones():
    frame = pd.DataFrame(X, columns=list("abcde"))
    refused(r"among the features \['a', 'b', 'c', 'd', 'e'\]\. Got 'income'", X=frame, private_features=["income"])


def test_no_rows():
    refused("0 sample", X=X[:0], y=Y[:0])


def test_no_features():
    refused("0 feature", X=X[:, :0])


@both_modes
def test_one_row_works_with_bounds(estimator):
    model = estimator(**BOUNDS, random_state=0).fit(X[:1], Y[:1])
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize(("rows", "got"), [(1, "one sample"), (40, "labels that are all the same")])
@pytest.mark.filterwarnings("ignore::semildp.PrivacyLeakWarning")
def test_constant_label_needs_bounds(rows, got):
    refused(f"`label_bounds` must be given.*Got {got}", X=X[:rows], y=np.ones(rows), label_bounds=None)


@both_modes
def test_constant_label_works_with_bounds(estimator):
    model = estimator(1024, **BOUNDS, random_state=0).fit(X, np.ones(40))
    np.testing.assert_allclose(model.predict(X), 1.0, atol=0.05)


@pytest.mark.parametrize("depth", [1.5, -1, 21, 10**9, "deep", float("nan")])
def test_depth(depth):
    refused(r"`depth` must be a whole number from 0 to 20\. Got .*\. Or 'auto'", depth=depth)


@pytest.mark.parametrize("bins", [0, 2.5, -3, "many"])
def test_bins(bins):
    refused(r"`bins` must be a whole number from 1 to 1048576\. Got", bins=bins)


@pytest.mark.parametrize("s", [-1, 6, 1.0, "all"])
def test_n_histogram_features(s):
    refused(r"`n_histogram_features` must be a whole number from 0 to 5\. Got", n_histogram_features=s)


@pytest.mark.parametrize(
    ("s", "p", "t", "lower"),
    [(1, 18, 8, "depth"), (4, 4, 20, "bins` or `n_histogram_features"), (2, 0, 2000, "bins` or `n_histogram_features")],
)
def test_too_many_cells_says_what_to_lower(s, p, t, lower):
    sentence = rf"at most 1048576 cells\. Got .* = {t}\*\*{s} \* 2\*\*{p} = {t**s * 2**p}\. Lower `{lower}` first"
    refused(sentence, n_histogram_features=s, depth=p, bins=t)


def test_depth_without_a_tree():
    refused("With all 5 features in the histogram there is no tree", n_histogram_features=5, depth=2)


@pytest.mark.parametrize("name", ["splitter", "label_mechanism", "cell_mechanism", "participation"])
def test_unknown_choice(name):
    refused(rf"`{name}` must be one of '.*'\. Got 'best'", **{name: "best"})


def test_hidden_masks_leave_cart_nothing_to_split_on():
    refused("`splitter` must be 'random' or 'max-edge' with hide_mask=True", hide_mask=True, splitter="cart")


@pytest.mark.parametrize("weight", [0, -1, float("nan"), "x"])
def test_bias_weight(weight):
    refused(r"`bias_weight` must be a finite number above 0\. Got", bias_weight=weight)


@pytest.mark.parametrize("floor", ["low", float("nan"), None])
def test_min_count(floor):
    refused(r"`min_count` must be a .*number", min_count=floor)


def test_label_tree_refuses_private_features():
    refused("keeps only the label private", estimators=[LabelTreeRegressor], mask=np.ones((40, 5)))


def test_histogram_beyond_the_limit():
    refused("at most 1048576 cells", estimators=[PrivateHistogramRegressor], bins=20)


def test_randomised_features_need_two_bins():
    refused(r"`bins` must be a whole number from 2", estimators=[RandomizedFeatureTreeRegressor], bins=1)


@both_modes
def test_predict_before_fit(estimator):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        estimator().predict(X)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        estimator().report()


@both_modes
def test_predict_with_wrong_width_or_names(estimator):
    frame = pd.DataFrame(X, columns=list("abcde"))
    with pytest.raises(ValueError, match="4 features, but HistOfTreeRegressor is expecting 5"):
        estimator(**BOUNDS, random_state=0).fit(X, Y).predict(X[:, :4])
    model = estimator(**BOUNDS, random_state=0).fit(frame, Y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename(columns={"a": "z"}))
    with pytest.raises(ValueError, match="infinity"):
        model.predict(frame.where(frame > 0.5, np.inf))


@both_modes
def test_refusals_are_one_kind_of_error(estimator):
    with pytest.raises(InputError):
        estimator(0).fit(X, Y)
