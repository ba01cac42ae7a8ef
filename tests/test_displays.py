"""Displays: what is drawn is what was computed, on axes that are given, with the features' names."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression

from semildp import (
    CalibrationDisplay,
    HistOfTreeRegressor,
    ImportanceDisplay,
    InputError,
    MasksDisplay,
    PartitionDisplay,
    SemiPrivateRegressor,
    TradeOffDisplay,
)
from semildp.displays.calibration import binned, wilson
from semildp.displays.explaining import mean_square
from semildp.models import Effect
from semildp.models.places import even_cuts
from semildp.planning import Assumptions, Expected, Plan, Row

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")
pd = pytest.importorskip("pandas")

TOWNS = ["north", "south", "east"]
BOUNDS = {"income $": (0, 250), "age": (18, 90), "town": TOWNS}


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def people(n):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"income $": rng.uniform(0, 250, n), "age": rng.uniform(18, 90, n), "town": rng.choice(TOWNS, size=n)}
    )
    y = X["income $"] / 250 + (X["age"] > 54) + 0.5 * (X["town"] == "north") + 0.2 * rng.normal(size=n)
    return X, np.clip(y, -1, 4)


@pytest.fixture(scope="module")
def cells():
    X, y = people(4_000)
    model = HistOfTreeRegressor(
        20.0,
        label_bounds=(-1, 4),
        feature_bounds=BOUNDS,
        private_features=["income $"],
        bins=3,
        depth=3,
        random_state=0,
    )
    return model.fit(X, y)


@pytest.fixture(scope="module")
def additive():
    X, y = people(2_000)
    known = {"label_bounds": (-1, 4), "feature_bounds": BOUNDS, "private_features": ["income $"], "random_state": 0}
    return SemiPrivateRegressor(20.0, **known).fit(X, y)


def test_a_partition_is_drawn_with_the_model_s_own_predictions(cells):
    display = PartitionDisplay.from_estimator(cells, ["income $", "town"])
    assert np.allclose(display.edges[0], [0, 250 / 3, 500 / 3, 250])
    assert display.edges[1].tolist() == [-0.5, 0.5, 1.5, 2.5]
    query = pd.DataFrame({"income $": [200.0], "age": [np.nan], "town": ["south"]})
    assert display.prediction[2, 1] == cells.predict(query)[0]
    assert display.ax_.get_xlabel() == r"income \$"
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == TOWNS
    written = {text.get_text() for text in display.ax_.texts}
    assert f"{display.prediction[0, 0]:.3g}" in written


def test_people_of_a_partition_add_up_and_lie_where_they_are(cells):
    """Incomes and towns are even; at epsilon 20 shares are known to a few in a hundred."""
    display = PartitionDisplay.from_estimator(cells, ["income $", "town"], shown="people")
    assert display.people.sum() == pytest.approx(1)
    assert np.abs(display.people - 1 / 9).max() < 0.05
    halves = PartitionDisplay.from_estimator(cells, (1, 0), shown="people")
    assert halves.people.sum() == pytest.approx(1)


def test_the_features_that_are_cut_most_are_drawn_on_axes_that_are_given(cells):
    figure, panel = plt.subplots()
    display = PartitionDisplay.from_estimator(cells, ax=panel)
    assert display.ax_ is panel
    assert display.figure_ is figure
    age = {t for f, t in zip(cells.partition_.tree.feature, cells.partition_.tree.threshold, strict=True) if f == 1}
    assert len(age) >= 3  # more places than towns
    assert display.features == (0, 1)


def test_masks_show_shares_and_patterns():
    mask = np.array([[1, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 0]])
    display = MasksDisplay.from_mask(pd.DataFrame(mask, columns=["a", "b", "c"]))
    assert display.shares_.tolist() == [0.75, 0.25, 0]
    assert display.patterns_ == (((0,), 0.5), ((), 0.25), ((0, 1), 0.25))
    assert [bar.get_width() for bar in display.axes_[0].patches] == [75, 25, 0]
    assert [t.get_text() for t in display.axes_[0].get_yticklabels()] == ["a", "b", "c"]
    _, panels = plt.subplots(1, 2)
    assert list(MasksDisplay.from_mask(mask, ax=panels).axes_) == list(panels)


def test_masks_of_an_estimator_are_those_of_everyone_or_the_one_passed(cells):
    assert MasksDisplay.from_estimator(cells).patterns_ == (((0,), 1.0),)
    assert MasksDisplay.from_estimator(cells, np.eye(3)).shares_.tolist() == [1 / 3] * 3
    many = MasksDisplay.from_mask(np.random.default_rng(0).uniform(size=(500, 40)) < 0.5)
    assert len(many.patterns_) == 12
    assert len(many.axes_[0].patches) == 24


def made_plan():
    rows = tuple(
        Row(e, {"a": Expected(0.2 / e, 0.01), "b": Expected(0.3 / e, None)}, 1.0, {1: 0.1}) for e in (1.0, 2.0, 4.0)
    )
    return Plan(1000, Assumptions(5, 2), rows)


def test_a_plan_s_trade_off_is_drawn():
    display = TradeOffDisplay.from_plan(made_plan())
    assert display.lines["a"] == [(1.0, 0.2, 0.01), (2.0, 0.1, 0.01), (4.0, 0.05, 0.01)]
    assert display.reference == pytest.approx(0.4)
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == ["1", "2", "4"]
    assert [t.get_text() for t in display.ax_.get_legend().get_texts()] == ["the mean alone", "a", "b"]


def test_the_trade_off_of_fitted_estimators_is_their_error(cells):
    X, y = people(300)
    display = TradeOffDisplay.from_estimators([cells, cells], X, y)
    ((epsilon, error, spread),) = display.lines["HistOfTreeRegressor"]
    assert epsilon == 20
    assert error == pytest.approx(np.mean((cells.predict(X) - y) ** 2))
    assert spread == 0
    assert display.reference == pytest.approx(np.var(y))


def test_effects_explain_their_mean_square():
    values, deviations = (1.0, -1.0, 0.0, 2.0), (0.1, 0.2, 0.3, 0.4)
    effect = Effect((0,), (even_cuts(4),), ((0.25,) * 4,), values, deviations)
    square, error = mean_square(effect)
    assert square == pytest.approx(6 / 4)
    assert error == pytest.approx(2 * (0.1 + 0.2 + 0.8) / 4)


def test_importance_of_private_and_public_features(additive):
    """Of the label's variance, income explains 0.083 of 0.43, and more of what the public prediction leaves."""
    alone = ImportanceDisplay.from_estimator(additive)
    (income,) = [each for each in alone.importances if each.name == "income $"]
    assert income.private
    assert 0.3 < income.share < 1
    assert 0 < income.standard_error < 0.3
    X, _ = people(500)
    both = ImportanceDisplay.from_estimator(additive, X)
    shares = {each.name: each.share for each in both.importances}
    assert shares["age"] > shares["income $"] > 0.1
    assert 0.35 < shares["age"] < 0.75  # 0.25 of 0.43
    assert [t.get_text() for t in both.ax_.get_legend().get_texts()] == ["private feature", "public feature"]


def test_importance_of_cells(cells):
    """Age, income and town explain 0.25, 0.083 and 0.056 of the function's variance; bins of income see 8/9 of it."""
    display = ImportanceDisplay.from_estimator(cells)
    shares = {each.name: each.share for each in display.importances}
    assert [each.name for each in display.importances][:1] == ["age"]
    assert 0.4 < shares["age"] < 0.9
    assert 0.05 < shares["income $"] < 0.4
    assert all(each.standard_error is None for each in display.importances)


def test_calibration_bins_hold_equal_numbers_and_ties_stay_together():
    probability = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert [n for _, _, n in binned(probability, probability > 0.35, 3)] == [2, 2, 2]
    assert binned(probability, probability > 0.35, 3)[1] == (pytest.approx(0.35), 0.5, 2)
    assert binned(np.full(9, 0.5), np.arange(9) < 3, 4) == [(0.5, pytest.approx(1 / 3), 9)]
    assert sum(n for _, _, n in binned(np.repeat([0.1, 0.9], 5), np.ones(10), 4)) == 10


def test_wilson_intervals():
    low, high = wilson(0.5, 100)
    assert low == pytest.approx(0.4019, abs=1e-4)
    assert high == pytest.approx(0.5981, abs=1e-4)
    assert wilson(0.0, 10)[0] == 0
    assert wilson(1.0, 10)[1] == 1


def test_a_classifier_that_is_right_lies_on_the_diagonal():
    """Five bins of 1,000 people, four standard errors each: fails once in 3,000 draws."""
    rng = np.random.default_rng(0)
    probability = rng.uniform(size=5_000)
    y = rng.uniform(size=5_000) < probability
    display = CalibrationDisplay.from_predictions(y.astype(int), probability, n_bins=5)
    assert list(display.bins) == ["1"]
    for predicted, share, n in display.bins["1"]:
        assert abs(predicted - share) < 4 * np.sqrt(0.25 / n)


def test_calibration_of_any_classifier_a_line_for_each_class():
    X = np.random.default_rng(0).uniform(size=(300, 2))
    y = np.array(["a", "b", "c"])[(3 * X[:, 0]).astype(int)]
    fitted = LogisticRegression().fit(X, y)
    _, panel = plt.subplots()
    display = CalibrationDisplay.from_estimator(fitted, X, y, n_bins=4, ax=panel)
    assert list(display.bins) == ["a", "b", "c"]
    assert display.ax_ is panel
    two = CalibrationDisplay.from_estimator(DummyClassifier().fit(X, y == "a"), X, y == "a")
    assert list(two.bins) == ["True"]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: PartitionDisplay.from_estimator(3), "`estimator` must be a fitted HistOfTreeRegressor. Got 3"),
        (lambda: PartitionDisplay.from_estimator(LinearRegression().fit([[0], [1]], [0, 1])), "Got a LinearRegression"),
        (lambda: ImportanceDisplay.from_estimator(3), "`estimator` must be a fitted SemiPrivateRegressor or"),
        (
            lambda: ImportanceDisplay.from_estimator(LinearRegression().fit([[0], [1]], [0, 1])),
            "Got a LinearRegression",
        ),
        (lambda: MasksDisplay.from_estimator(3), "`estimator` must be a fitted estimator of semildp"),
        (lambda: MasksDisplay.from_estimator(LinearRegression().fit([[0], [1]], [0, 1])), "Got a LinearRegression"),
        (lambda: MasksDisplay.from_mask([0, 1]), "`mask` must be a table"),
        (lambda: MasksDisplay.from_mask([[0, 2]]), "`mask`"),
        (lambda: MasksDisplay.from_mask([[0, 1]], ["a"]), "`names` must be 2 names"),
        (lambda: TradeOffDisplay.from_plan(3), "`plan` must be what semildp.plan returns"),
        (lambda: TradeOffDisplay.from_estimators([], [[0]], [0]), "`estimators` must be a list"),
        (lambda: TradeOffDisplay.from_estimators([LinearRegression()], [[0]], [0]), "estimators with an epsilon"),
        (lambda: CalibrationDisplay.from_estimator(3, [[0]], [0]), "with predict_proba"),
        (lambda: CalibrationDisplay.from_predictions([0, 1], [0.5]), "2 rows of 2 probabilities"),
        (lambda: CalibrationDisplay.from_predictions([0, 1], [0.5, 1.5]), "numbers from 0 to 1"),
        (lambda: CalibrationDisplay.from_predictions([0, 2], [0.5, 0.5]), "among the classes"),
        (lambda: CalibrationDisplay.from_predictions([0, 1], [0.5, 0.5], n_bins=0), "`n_bins` must be"),
    ],
)
def test_strangers_are_refused(call, says):
    with pytest.raises(InputError, match=says):
        call()


def test_features_and_kinds_that_are_not_there_are_refused(cells):
    for features in ("age", ["age"], ["age", "age"], ["age", 7], [True, 0], 3):
        with pytest.raises(InputError, match="`features` must be two of"):
            PartitionDisplay.from_estimator(cells, features)
    with pytest.raises(InputError, match="`shown` must be one of"):
        PartitionDisplay.from_estimator(cells, shown="all")
    with pytest.raises(InputError, match="`X` must be None"):
        ImportanceDisplay.from_estimator(cells, [[0.0]])
    with pytest.raises(NotFittedError):
        PartitionDisplay.from_estimator(HistOfTreeRegressor())
    with pytest.raises(NotFittedError):
        ImportanceDisplay.from_estimator(SemiPrivateRegressor())


def test_importing_displays_loads_no_matplotlib():
    code = (
        "import sys, semildp\n"
        "for name in ('Calibration', 'Importance', 'Masks', 'Partition', 'TradeOff'):\n"
        "    getattr(semildp, name + 'Display')\n"
        "print('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
