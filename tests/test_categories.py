"""Categories: recognised in frames, sent by their own mechanism, learnt as categories, averaged over where missing."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LinearRegression

from benchmarks.categories import squared_error
from semildp import HistOfTreeRegressor, InputError, PrivacyLeakWarning, SemiPrivateRegressor
from semildp.baselines import PrivateHistogramRegressor, PublicTreeRegressor, RandomizedFeatureTreeRegressor
from semildp.study import Category, Number

N, COLOURS = 400, ["red", "green", "blue"]
RNG = np.random.default_rng(0)
CODES = RNG.integers(3, size=N)
EFFECT = np.array([0.8, -0.8, 0.0])
TABLE = pd.DataFrame(
    {"age": RNG.uniform(size=N), "colour": np.array(COLOURS)[CODES], "smokes": RNG.uniform(size=N) < 0.5}
)
Y = np.clip(EFFECT[CODES] + 0.1 * RNG.normal(size=N), -1, 1)
BOUNDS = {"age": (0, 1), "colour": COLOURS}
ESTIMATORS = {
    "semi-private": SemiPrivateRegressor,
    "joint": HistOfTreeRegressor,
    "paper": HistOfTreeRegressor.paper,
    "krr": RandomizedFeatureTreeRegressor,
    "hist": PrivateHistogramRegressor,
    "public tree": PublicTreeRegressor,
}
FRAMES = {
    "text": lambda table: table,
    "pandas string": lambda table: table.astype({"colour": "string", "smokes": "boolean"}),
    "pandas category": lambda table: table.astype({"colour": "category"}),
    "polars": pl.from_pandas,
    "polars category": lambda table: pl.from_pandas(table).with_columns(pl.col("colour").cast(pl.Categorical)),
    "polars enum": lambda table: pl.from_pandas(table).with_columns(pl.col("colour").cast(pl.Enum(COLOURS))),
    "pyarrow": lambda table: pa.Table.from_pandas(table, preserve_index=False),
}


def model(kind="semi-private", **parameters):
    given = {"label_bounds": (-1, 1), "feature_bounds": BOUNDS, "random_state": 0, **parameters}
    return ESTIMATORS[kind](given.pop("epsilon", 100.0), **given)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("private", [None, ["colour"], ["colour", "smokes"]])
def test_every_kind_of_frame_gives_the_same_study_and_the_same_model(frame, private):
    fitted = model(private_features=private, learner=LinearRegression()).fit(FRAMES[frame](TABLE), Y)
    assert [feature.domain for feature in fitted.study_.features] == [
        Number(0, 1),
        Category(tuple(COLOURS)),
        Category(("False", "True")),
    ]
    plain = model(private_features=private, learner=LinearRegression()).fit(TABLE, Y)
    np.testing.assert_array_equal(fitted.predict(FRAMES[frame](TABLE)), plain.predict(TABLE))
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(TABLE), plain.predict(TABLE))


@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize("private", [None, ["colour"]])
def test_all_estimators_take_categories(kind, private):
    fitted = model(kind, private_features=private).fit(TABLE, Y)
    predicted = fitted.predict(TABLE)
    assert ((predicted >= -1) & (predicted <= 1)).all()
    if kind != "public tree" or private is None:
        assert np.mean((predicted - EFFECT[CODES]) ** 2) < 0.5 * EFFECT[CODES].var()


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_values_that_are_not_given_are_read_with_a_warning(kind):
    with pytest.warns(
        PrivacyLeakWarning, match=r"`values of colour` was not given.*feature_bounds=\{'colour': \["
    ) as all_:
        fitted = model(kind, feature_bounds={"age": (0, 1)}).fit(TABLE, Y)
    assert len(all_) == 1
    assert all_[0].filename == __file__
    assert fitted.privacy_.leaks == ("values of colour",)
    assert fitted.study_.features[1].domain == Category(("blue", "green", "red"))
    with pytest.warns(PrivacyLeakWarning):
        by_pair = model(kind, feature_bounds=(0, 1)).fit(TABLE, Y)
    np.testing.assert_array_equal(by_pair.predict(TABLE), fitted.predict(TABLE))


def test_values_of_a_pandas_category_are_those_of_its_type():
    """Also those that nobody has; but who made the type may have looked at the data, so there is a warning."""
    wide = TABLE.assign(colour=pd.Categorical(TABLE["colour"], [*COLOURS, "pink"]))
    with pytest.warns(PrivacyLeakWarning, match="values of colour"):
        fitted = model(feature_bounds={"age": (0, 1)}).fit(wide, Y)
    assert fitted.study_.features[1].domain == Category((*COLOURS, "pink"))


def test_values_by_position():
    by_name = model(learner=LinearRegression()).fit(TABLE, Y)
    listed = [(0, 1), COLOURS, [False, True]]
    by_place = model(feature_bounds=listed, learner=LinearRegression()).fit(TABLE, Y)
    assert by_place.study_ == by_name.study_
    numbers = TABLE.assign(colour=pd.Categorical(CODES + 1))
    fitted = model(feature_bounds=BOUNDS | {"colour": [1, 2, 3]}, learner=LinearRegression()).fit(numbers, Y)
    assert fitted.study_.features[1].domain == Category(("1", "2", "3"))
    np.testing.assert_array_equal(fitted.predict(numbers), by_name.predict(TABLE))


def refused(sentence, table=TABLE, **parameters):
    with pytest.raises(InputError, match=sentence):
        model(**parameters).fit(table, Y)


def test_values_that_cannot_be_are_refused_by_name():
    refused(
        r"`feature_bounds\['colour'\]` must be a list of a category's values", feature_bounds=BOUNDS | {"colour": ["a"]}
    )
    refused("2 to 65536 different words", feature_bounds=BOUNDS | {"colour": ["a", "a"]})
    refused(r"`feature_bounds\['age'\]` must be two finite numbers", feature_bounds=BOUNDS | {"age": ["old", "young"]})
    one_value = TABLE.assign(colour="red")
    refused(r"`feature_bounds\['colour'\]` .* Not all of the 1 in the data", one_value, feature_bounds={"age": (0, 1)})
    refused(r"Got text in \['colour'\]", feature_bounds=BOUNDS | {"colour": (0, 1)})


def test_a_public_value_that_is_not_listed_is_refused_and_a_private_one_is_not():
    """A refusal could be seen: who hides a value that is not listed is treated as one who leaves it out."""
    other = TABLE.assign(colour=np.where(np.arange(N) < 3, "pink", TABLE["colour"]))
    refused(
        r"`X\['colour'\]` must be one of \['red', 'green', 'blue'\] where it is public\. Got other .* 3 rows", other
    )
    missing = TABLE.assign(colour=np.where(np.arange(N) < 3, None, TABLE["colour"]))
    refused(r"Public features must not be missing\. Got NaN in 3 rows, feature 'colour'", missing)
    one, same = (model(private_features=["colour"]).fit(table, Y) for table in (other, missing))
    np.testing.assert_array_equal(one.predict(TABLE), same.predict(TABLE))


@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize("private", [None, ["colour"]])
def test_missing_and_unknown_values_are_averaged_over_in_predict(kind, private):
    fitted = model(kind, private_features=private).fit(TABLE, Y)
    row = TABLE.iloc[:1]
    of_each = [fitted.predict(row.assign(colour=colour))[0] for colour in COLOURS]
    guesses = [fitted.predict(row.assign(colour=[gap]))[0] for gap in (None, np.nan, "pink", pd.NA)]
    assert len(set(guesses)) == 1
    assert min(of_each) - 1e-9 <= guesses[0] <= max(of_each) + 1e-9
    if private and kind in ("semi-private", "joint", "paper"):
        shares = np.bincount(CODES) / N
        assert guesses[0] == pytest.approx(shares @ of_each, abs=0.2)


def test_arrays_and_numbers_in_place_of_what_was_fitted():
    fitted = model(learner=LinearRegression()).fit(TABLE, Y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        np.testing.assert_array_equal(fitted.predict(TABLE.to_numpy()), fitted.predict(TABLE))
    for narrow in ([["red"]], TABLE.to_numpy()[:, :2], [["red", 1], [2]]):
        with pytest.warns(UserWarning, match="feature names"), pytest.raises(ValueError, match=r"feature|inhomogen"):
            fitted.predict(narrow)
    np.testing.assert_array_equal(fitted.predict(TABLE.assign(smokes=TABLE["smokes"] * 1)), fitted.predict(TABLE))
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(TABLE[["age", "colour"]])
    with pytest.raises(ValueError, match="in the same order"):
        fitted.predict(TABLE[["colour", "age", "smokes"]])


def test_a_private_category_is_asked_by_its_values_and_said_so():
    fitted = model(private_features=["colour"], epsilon=4.0, learner=LinearRegression()).fit(TABLE, Y)
    assert {question.asks[0].partition.bins for question in fitted.questions_} - {()} == {(3,)}  # (): residual alone
    assert any("which of 3 values colour has and the label" in line for line in fitted.privacy_.sent)
    assert all(len(effect.table) == 3 for effect in fitted.effects_)
    joint = model("joint", private_features=["colour"], epsilon=4.0).fit(TABLE, Y)
    assert joint.partition_.bins == (3,)
    assert "3 bins on colour" in joint.report()


def errors(effects, category, seeds=20, **parameters):
    every = [squared_error("SemiPrivateRegressor", effects, category, seed, **parameters) for seed in range(seeds)]
    return np.mean(every)


def test_a_private_category_has_at_most_half_the_error_of_its_coding_as_a_number():
    """Six values with effects in no order, 10,000 people, epsilon 2. Coded as a number, one study in five fails."""
    category, number = (errors("shuffled", kind, learner=LinearRegression()) for kind in (True, False))
    assert category <= number / 2
    assert category < 0.05


def test_ordered_values_coded_as_numbers_lose_nothing():
    """Before there were categories, these studies came to 0.0194 and 0.0280, with standard errors 0.0019 and 0.0038.

    Today's standard errors are 0.0034 and 0.0071; two standard errors of the difference are allowed.
    """
    assert errors("linear", False, learner=LinearRegression()) < 0.0194 + 2 * np.hypot(0.0019, 0.0034)
    assert errors("monotone", False, learner=LinearRegression()) < 0.0280 + 2 * np.hypot(0.0038, 0.0071)


def scores(explained, n=10_000, d=20, epsilon=4.0):
    """R2 over 6 seeds where nothing, one or all of d private categories together explain half of the variance."""
    words, found = [f"v{k}" for k in range(6)], []
    for seed in range(6):
        rng = np.random.default_rng([seed, d, n])
        codes, size = rng.integers(6, size=(2 * n, d)), {"nothing": np.zeros(d), "one": np.eye(d)[0], "all": np.ones(d)}
        effects = np.outer(size[explained] / max(np.sqrt(size[explained].sum()), 1), np.resize([0.7, -0.7], 6))
        noise = rng.normal(size=2 * n) * (1.0 if explained == "nothing" else 0.71)
        y = np.clip(effects[np.arange(d), codes].sum(axis=1) + noise, -3, 3)
        table = pd.DataFrame({f"c{j}": np.array(words)[codes[:, j]] for j in range(d)})
        fitted = SemiPrivateRegressor(
            epsilon,
            label_bounds=(-3, 3),
            feature_bounds=dict.fromkeys(table, words),
            private_features=list(table),
            learner=LinearRegression(),
            random_state=seed,
        ).fit(table[:n], y[:n])
        found.append(fitted.score(table[n:], y[n:]))
    return np.mean(found)


def test_many_private_categories_do_not_add_up_their_noise_and_one_that_matters_is_found():
    """Each shrunk by itself, noise cost 0.017; all by one variance, the one that matters came to 0.14. Fixed seeds."""
    assert scores("nothing") > -0.005
    assert scores("one") > 0.3
    assert scores("all") > -0.005  # of many features four are asked about in the end: twenty small effects are left
