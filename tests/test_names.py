"""Columns, people and features are matched by name; what could be taken for something else is refused."""

from __future__ import annotations

import datetime
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from semildp import HistOfTreeRegressor, InputError, PrivacyLeakWarning, SemiPrivateRegressor, masks
from semildp.domains import FeatureBounds
from semildp.simulate import simulate as simulate_study
from tests.people import BOUNDS, simulate

N, NAMES = 60, ["income", "health", "age", "town", "job"]
X, Y, _ = simulate(N)
MASK = np.random.default_rng(1).uniform(size=(N, 5)) < 0.5
PEOPLE = [f"p{i}" for i in range(N)]
FRAME = pd.DataFrame(X, columns=NAMES, index=PEOPLE)
HIDDEN = pd.DataFrame(MASK, columns=NAMES, index=PEOPLE)


def model(**parameters):
    return HistOfTreeRegressor(**{**BOUNDS, "random_state": 0, **parameters})


def mask_in_use(rows, mask=None, monkeypatch=None, **parameters):
    """Return the mask that people act on."""
    seen = []

    def remember(study, X, y, mask, **rest):
        seen.append(mask)
        return simulate_study(study, X, y, mask, **rest)

    monkeypatch.setattr("semildp.simulate.simulate", remember)
    model(**parameters).fit(rows, Y, mask=mask)
    return seen[0]


def refused(sentence, rows=FRAME, mask=None, **parameters):
    with pytest.raises(InputError, match=sentence):
        model(**parameters).fit(rows, Y, mask=mask)


FRAMES = [lambda table: table, pl.from_pandas, lambda table: pa.Table.from_pandas(table, preserve_index=False)]
SHUFFLED = np.random.default_rng(2).permutation(N)
SAME = {
    "as it is": HIDDEN,
    "columns in another order": HIDDEN[NAMES[::-1]],
    "people in another order": HIDDEN.iloc[SHUFFLED],
    "both in another order": HIDDEN.iloc[SHUFFLED, [3, 1, 0, 4, 2]],
    "whole numbers": HIDDEN.astype(int),
    "pandas boolean": HIDDEN.astype("boolean"),
    "objects": HIDDEN.astype(object),
    "polars, columns in another order": pl.DataFrame({name: MASK[:, NAMES.index(name)] for name in sorted(NAMES)}),
}


@pytest.mark.parametrize("how", SAME)
def test_a_mask_that_is_a_frame_is_matched_by_names(how, monkeypatch):
    np.testing.assert_array_equal(mask_in_use(FRAME, SAME[how], monkeypatch), MASK)


def test_tables_of_pyarrow_are_matched_by_names_too(monkeypatch):
    mask = pa.table({name: MASK[:, NAMES.index(name)] for name in sorted(NAMES)})
    np.testing.assert_array_equal(mask_in_use(FRAME, mask, monkeypatch), MASK)
    refused("only in X", mask=mask.drop_columns(["age"]))
    refused("an array where `X` has no column names", rows=X, mask=mask)


def test_polars_on_both_sides(monkeypatch):
    rows = pl.DataFrame(dict(zip(NAMES, X.T, strict=True)))
    mask = pl.DataFrame({name: MASK[:, NAMES.index(name)] for name in sorted(NAMES)})
    np.testing.assert_array_equal(mask_in_use(rows, mask, monkeypatch), MASK)


def test_arrays_are_matched_by_position_and_numbered_frames_by_their_numbers(monkeypatch):
    np.testing.assert_array_equal(mask_in_use(FRAME, MASK, monkeypatch), MASK)
    np.testing.assert_array_equal(mask_in_use(X, MASK.astype(object), monkeypatch), MASK)
    many = pd.MultiIndex.from_product([["a"], range(5)])
    by_index = mask_in_use(FRAME.set_axis(many, axis=1), None, monkeypatch, private_features=[1])
    np.testing.assert_array_equal(by_index, masks.aligned(N, 5, [1]))
    numbered = pd.DataFrame(MASK)[[4, 3, 2, 1, 0]]
    np.testing.assert_array_equal(mask_in_use(pd.DataFrame(X), numbered, monkeypatch), MASK)


def test_other_columns_are_refused_by_name():
    wrong = HIDDEN.rename(columns={"age": "years"})
    refused(r"with the columns of `X`\. Got \['years'\] only in the mask and \['age'\] only in X", mask=wrong)
    refused(r"Got \[\] only in the mask and \['job'\] only in X", mask=HIDDEN.drop(columns="job"))
    refused(r"Got \['pets'\] only in the mask and \[\] only in X", mask=HIDDEN.assign(pets=True))


def test_other_people_are_refused_by_name():
    stranger = HIDDEN.rename(index={"p7": "stranger"})
    refused(r"with the rows of `X`\. Got \['stranger'\] only in the mask and \['p7'\] only in X", mask=stranger)
    refused(r"Got \[\] only in the mask and \['p59'\] only in X", mask=HIDDEN.iloc[:-1])
    with pytest.raises(InputError, match=r"Got \['p59'\] only in the mask"):
        model().fit(FRAME.iloc[:-1], Y[:-1], mask=HIDDEN)
    refused(r"Got \[0, 1, .*\.\.\.\] only in the mask and \['p0', ", mask=HIDDEN.reset_index(drop=True))


def test_people_who_share_a_name_cannot_be_told_apart():
    twice = HIDDEN.rename(index={"p1": "p0"})
    refused("Give each person their own index", mask=twice)
    np.testing.assert_array_equal(model().fit(FRAME.set_axis(twice.index), Y, mask=twice).n_features_in_, 5)


@pytest.mark.parametrize("mask", [HIDDEN, pl.DataFrame(MASK)])
def test_a_named_mask_for_nameless_rows_is_refused(mask):
    refused(r"an array where `X` has no column names.*set_output.*mask\.to_numpy\(\)", rows=X, mask=mask)


@pytest.mark.parametrize("missing", [None, pd.NA, np.nan, pd.NaT])
def test_missing_choices_are_refused(missing):
    holes = HIDDEN.astype(object)
    holes.iloc[3, 2] = missing
    refused(r"`mask` must be made of 0 \(public\) and 1 \(private\) only\. Got missing values", mask=holes)


@pytest.mark.parametrize("kind", ["boolean", "Float64", "Int8"])
def test_missing_choices_in_frames_with_types_of_their_own(kind):
    holes = HIDDEN.astype(int).astype(kind)
    holes.iloc[3, 2] = pd.NA
    refused("Got missing values", mask=holes)
    refused("Got missing values", mask=pl.DataFrame({n: [None, *MASK[1:, j]] for j, n in enumerate(NAMES)}))
    refused("Got missing values", rows=X, mask=np.ma.masked_array(MASK, mask=MASK))


@pytest.mark.parametrize("private", [[0, 1, 0, 1, 1], [False, True, False, True, True], np.array([0, 1, 0, 1, 1.0])])
def test_a_mask_in_place_of_features_is_refused_with_the_right_call(private):
    call = r"Pass private_features=\['health', 'town', 'job'\] if everyone.*, or fit\(X, y, mask=...\)"
    refused(call, private_features=private)
    refused(r"Pass private_features=\[1, 3, 4\] if everyone", rows=X, private_features=private)


@pytest.mark.parametrize("private", [[True], True, [np.True_, False], MASK, HIDDEN, {"age": True}, b"\x00"])
def test_other_tables_in_place_of_features_are_refused(private):
    refused(r"`private_features` must be a list of feature names.*fit\(X, y, mask=...\)", private_features=private)


@pytest.mark.parametrize("private", [[2, 2], ["age", "age"], ["age", 2], [0, 1, 0]])
def test_a_feature_that_is_named_twice_is_refused(private):
    refused("in which each feature stands once", private_features=private)


@pytest.mark.parametrize("private", [[0, 1], [1, 0], (1,), range(2), "age", {"age", "job"}, np.array([0, 4])])
def test_lists_of_features_are_still_taken(private):
    assert model(private_features=private).fit(FRAME, Y).privacy_.groups[0].n_private in (1, 2)


def test_a_name_that_two_columns_have_is_refused():
    """Only the first would have been hidden."""
    double = FRAME.rename(columns={"town": "age"})
    refused(r"each column has its own name\. Got \['age'\] again", rows=double, private_features=["age"])


def test_a_column_may_have_any_name(monkeypatch):
    odd = ["column_names", "columns", "index", "dtypes", "to_numpy"]
    rows, mask = FRAME.set_axis(odd, axis=1), HIDDEN.set_axis(odd, axis=1)
    np.testing.assert_array_equal(mask_in_use(rows, mask[odd[::-1]], monkeypatch), MASK)


def test_numbered_columns_in_another_order_are_no_indices():
    refused("The columns are numbered, in another order", rows=pd.DataFrame(X)[[1, 0, 2, 3, 4]], private_features=[0])


@pytest.mark.parametrize("parameters", [{"private_features": ["x1"]}, {"feature_bounds": dict.fromkeys(NAMES, (0, 1))}])
def test_names_are_refused_where_a_transformer_has_dropped_them(parameters):
    """Also "x1", which an array's second column is called in reports: behind a transformer it may be another one."""
    pipeline = make_pipeline(MinMaxScaler(), model(**parameters))
    with pytest.raises(InputError, match=r"has no column names.*call set_output\(transform='pandas'\)"):
        pipeline.fit(FRAME.rename(columns={"health": "x1"}), Y)


def test_names_survive_a_transformer_that_keeps_them():
    scaler = MinMaxScaler().set_output(transform="pandas")
    fitted = make_pipeline(scaler, model(private_features=["health"])).fit(FRAME, Y)[-1]
    assert fitted.partition_.histogram_features == (1,)
    make_pipeline(scaler, model()).set_output(transform="pandas")


def test_errors_name_the_feature():
    refused(r"`feature_bounds\['town'\]` must be", feature_bounds=dict.fromkeys(NAMES, (0, 1)) | {"town": (1, 0)})
    refused(r"`feature_bounds\['age'\]` must be", feature_bounds=[(0, 1), (0, 1), (0,), (0, 1), (0, 1)])
    refused(r"`feature_bounds\[2\]` must be", rows=X, feature_bounds=[(0, 1), (0, 1), (0,), (0, 1), (0, 1)])
    holes = FRAME.copy()
    holes.iloc[3, [1, 3]] = np.nan
    refused("Got NaN in 1 rows, feature 'health', 'town'", rows=holes)
    refused(r"values outside in 1 rows, feature 'job'\.", rows=FRAME.where(FRAME < 2).assign(job=[2, *X[1:, 4]]))
    refused(r"values outside in 60 rows, feature 'x0'\.", rows=X + np.array([2, 0, 0, 0, 0]))


def test_boxes_are_the_same_whatever_their_features_are_called():
    assert FeatureBounds((0.0,), (1.0,), ("age",)) == FeatureBounds((0.0,), (1.0,))
    for names in (("a", "b"), ["a"], (1,)):
        with pytest.raises(InputError, match="a tuple of 1 names"):
            FeatureBounds((0.0,), (1.0,), names)


@pytest.mark.parametrize("frame", FRAMES)
def test_dates_get_a_sentence_and_so_does_text_that_was_a_number_before(frame):
    day = datetime.datetime(2020, 1, 1)
    table = FRAME.assign(town="Ulm", age=day, job=pd.Categorical(["smith"] * N, ["smith", "baker"]))
    with pytest.raises(InputError, match=r"numbers\. Got dates in \['age'\]\. Code a date as a number"):
        model().fit(frame(table), Y)
    fitted = model().fit(FRAME, Y)
    with pytest.raises(InputError, match=r"Got text in \['town'\]"):
        fitted.predict(frame(FRAME.assign(town="Ulm")))
    with pytest.raises(InputError, match=r"Got dates in \['town'\]"):
        fitted.predict(frame(FRAME.assign(town=day)))


def test_words_and_dates_in_arrays_get_a_sentence():
    rows = X.astype(object)
    rows[3, 1], rows[4, 2] = "high", datetime.date(2020, 1, 1)
    refused(r"Got text in \['column 1'\], dates in \['column 2'\]", rows=rows)
    refused(r"taken from a data frame's columns of text, categories or truth values: pass X as a data frame", rows=rows)
    refused("Got dates in", rows=np.full((N, 5), "2020-01-01", dtype="datetime64[D]"))
    refused("Got text in", rows=np.full((N, 5), "a"))


def test_numbers_in_other_clothes_are_still_taken():
    """Where a pair of numbers is given for a column, it is a number, whatever its type."""
    table = FRAME.assign(
        age=FRAME["age"].astype(object), town=pd.Categorical([0, 1] * (N // 2)), job=[True, False] * 30
    )
    fitted = model(feature_bounds=dict.fromkeys(NAMES, (0, 1))).fit(table, Y)
    plain = table.astype(float).to_numpy()
    np.testing.assert_array_equal(fitted.predict(table), model().fit(plain, Y).predict(plain))


@pytest.mark.parametrize(
    "fit",
    [
        lambda: SemiPrivateRegressor(random_state=0).fit(X, Y),
        lambda: make_pipeline(MinMaxScaler(), HistOfTreeRegressor(random_state=0)).fit(X, Y),
    ],
)
def test_a_leak_is_reported_at_the_line_that_called_fit(fit):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit()
    leaks = [w for w in caught if issubclass(w.category, PrivacyLeakWarning)]
    assert len(leaks) == 2
    line = fit.__code__.co_firstlineno
    assert [(w.filename, w.lineno) for w in leaks] == [(__file__, line)] * 2


def test_masks_of_objects_are_checked_one_by_one():
    assert masks.check_mask(np.array([[True, 0, 1.0]], dtype=object), 1, 3).tolist() == [[True, False, True]]
    for value in ("yes", 2, 10**400, object()):
        with pytest.raises(InputError, match="Got other values"):
            masks.check_mask(np.array([[True, value]], dtype=object), 1, 2)
