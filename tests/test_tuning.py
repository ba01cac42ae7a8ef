"""Tuning: learners are compared on reports that were collected once; searches are told what they would cost."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest
from joblib import parallel_config
from scipy.stats import uniform
from sklearn.base import clone
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut, RandomizedSearchCV, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from semildp import (
    BudgetAccountant,
    EpsilonSearchWarning,
    HistOfTreeRegressor,
    InputError,
    LimitError,
    SemiPrivateRegressor,
)
from semildp.curator.effects.people import Chosen
from semildp.curator.noisy import NoisyLabels
from semildp.study import Feature, Number, Study
from semildp.tuning import CountedSearch, SearchCost, choose_learner
from semildp.tuning.held_out import explained_share, part_of
from semildp.wire.columns import Enrolled

KNOWN = {"label_bounds": (-1, 3), "feature_bounds": (0, 1), "private_features": [0], "random_state": 0}


def people(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 3))
    return X, np.clip(X[:, 0] + 2 * np.abs(X[:, 1] - 0.5) + 0.3 * rng.normal(size=n), -1, 3)


def noisy_labels(n, noise, seed, learner=None):
    """Labels of two groups with noise of known variance, as a curator has them: half of the variance is explained."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 1))
    variances = np.array([noise**2 + 0.5, 4 * noise**2 + 0.5])
    sizes = np.array([n // 2, n - n // 2])
    truth = np.sqrt(6) * (X[:, 0] - 0.5) + np.sqrt(0.5) * rng.normal(size=n)
    labels = truth + np.repeat([noise, 2 * noise], sizes) * rng.normal(size=n)
    study = Study(
        name="s",
        epsilon=1.0,
        label=Number(-9.0, 9.0),
        features=(Feature("x", Number(0.0, 1.0)),),
        protocol="semi-private",
    )
    enrolled = Enrolled(X, np.zeros(X.shape, dtype=np.bool_))
    return NoisyLabels(study, (0,), learner, Chosen(enrolled, np.arange(n)), labels, sizes, variances, 1.0)


def test_the_share_explained_is_estimated_without_bias():
    """Mean over 40 sets of noisy labels; a line explains half of the variance. Five standard errors: 1 in 10^6 fails.

    The fitted line itself is off by 2/n of the labels' variance (at most 9.5), and the mean by 1/n: 0.02 in all.
    """
    learners = {"line": LinearRegression(), "mean": DummyRegressor()}
    found = [explained_share(noisy_labels(1_000, 1.5, seed), learners, 5) for seed in range(40)]
    line, mean = (np.array([each[name].mean for each in found]) for name in ("line", "mean"))
    assert abs(line.mean() - 0.5) < 5 * line.std(ddof=1) / np.sqrt(40) + 0.02
    assert np.abs(mean).max() < 1e-9
    errors = np.array([each["line"].standard_error for each in found])
    assert 0.5 < errors.mean() / line.std(ddof=1) < 2
    ahead, error = found[0]["line"].ahead(found[0]["mean"])
    assert ahead == pytest.approx(found[0]["line"].mean)
    assert error > 0


def test_parts_that_are_held_out_are_not_learnt_from():
    """A tree that learns labels by heart explains nothing of those it has not seen: here it is worse than the mean."""
    found = explained_share(noisy_labels(300, 1.5, 0), {"by heart": DecisionTreeRegressor()}, 3)
    assert found["by heart"].mean < -1


def test_parts_of_labels_keep_the_variance_of_each():
    labels = noisy_labels(10, 1.0, 0)
    chosen = np.array([1, 4, 5, 9])
    part = part_of(labels, chosen)
    assert part.sizes.tolist() == [2, 2]
    assert np.array_equal(part.variance, labels.variance[chosen])
    assert np.array_equal(part.people[:].public, labels.people[chosen].public)


def test_learners_are_compared_for_what_one_collection_cost():
    X, y = people(2_500)
    model = SemiPrivateRegressor(4.0, **KNOWN)
    candidates = {"line": Ridge(), "tree": DecisionTreeRegressor(min_samples_leaf=150), "mean": DummyRegressor()}
    with BudgetAccountant(limit=4) as accountant:
        chosen = choose_learner(model, candidates, X, y)
    assert accountant.spent == 4
    assert chosen.best == chosen.candidates[0].name == "tree"  # the effect has no slope
    assert chosen.candidates[0].behind[0] == 0
    assert all(each.behind[0] > 0 for each in chosen.candidates[1:])
    assert chosen.estimator.learner is candidates["tree"]
    assert chosen.estimator.privacy_.epsilon <= 4
    assert not hasattr(model, "model_")
    assert "collected once, and spent at most 4 per person" in chosen.as_text()
    assert "nothing more" in chosen.as_text()


def test_the_estimator_s_own_learner_gives_the_same_model_as_a_fit():
    X, y = people(600)
    model = SemiPrivateRegressor(2.0, **KNOWN)
    chosen = choose_learner(model, {"default": None}, X, y, folds=2)
    assert np.array_equal(chosen.estimator.predict(X), clone(model).fit(X, y).predict(X))
    assert chosen.estimator.model_.spent == clone(model).fit(X, y).model_.spent


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"estimator": HistOfTreeRegressor()}, "`estimator` must be a SemiPrivateRegressor or SemiPrivateClassifier"),
        ({"candidates": {"x": LogisticRegression()}}, "`learner` must be a scikit-learn regressor"),
        ({"candidates": {}}, "`candidates` must be learners by name"),
        ({"candidates": [Ridge()]}, "`candidates` must be learners by name"),
        ({"candidates": {3: Ridge()}}, "`candidates` must be learners by name"),
        ({"candidates": {"x": 3}}, "`learner` must be"),
        ({"folds": 1}, "`folds` must be a whole number"),
        ({"folds": 40}, "`folds` must be at most half of the 30 labels"),
    ],
)
def test_what_cannot_be_compared_is_refused(changed, says):
    X, y = people(30)
    given = {"estimator": SemiPrivateRegressor(1.0, **KNOWN), "candidates": {"line": Ridge()}, "X": X, "y": y}
    with pytest.raises(InputError, match=says):
        choose_learner(**{**given, **changed})


def search(grid=None, **parameters):
    model = SemiPrivateRegressor(0.5, **KNOWN)
    return GridSearchCV(model, grid or {"first_share": [0.3, 0.5, 0.7]}, **parameters)


def test_the_cost_of_a_grid_is_candidates_times_training_parts_and_the_last_fit():
    cost = SearchCost.of(search(cv=4))
    assert (cost.n_fits, cost.n_splits, cost.trained) == (13, 4, 3)
    assert cost.per_person == 3 * 3 * Fraction(1, 2) + Fraction(1, 2)
    assert SearchCost.of(search(cv=4, refit=False)).per_person == Fraction(9, 2)
    several = SearchCost.of(search({"epsilon": [1, 2.5], "first_share": [0.3, 0.5]}, cv=3))
    assert several.per_person == 2 * 2 * Fraction(7, 2) + Fraction(5, 2)
    text = several.as_text()
    assert "13 fits: 4 candidates (epsilon 1 to 2.5) on 3 splits, and one fit of the best" in text
    assert "asked up to 9 times and spend up to 16.5" in text


def test_training_parts_are_counted_person_by_person():
    X, y = people(20)
    model = SemiPrivateRegressor(1.0, **KNOWN)
    assert SearchCost.of(model, X, y, cv=KFold(5)).trained == 4
    assert SearchCost.of(model, X, y, cv=LeaveOneOut()).trained == 19
    shuffled = ShuffleSplit(6, test_size=0.5, random_state=0)
    assert SearchCost.of(model, cv=shuffled).trained == 6
    assert SearchCost.of(model, X, y, cv=shuffled).trained == max(
        sum(i in train for train, _ in shuffled.split(X)) for i in range(20)
    )
    assert SearchCost.of(model).per_person == 4


def test_the_cost_counts_what_the_accountant_would_bound():
    """In a k-fold each person is left out once per candidate; the accountant counts all fits as on the same people."""
    X, y = people(40)
    counted = CountedSearch(search({"first_share": [0.3, 0.5]}, cv=3)).fit(X, y)
    assert counted.cost_.per_person == Fraction(1, 2) * (2 * 2 + 1)
    assert len(counted.accountant_.fits) == counted.cost_.n_fits == 7
    assert counted.accountant_.spent == Fraction(7, 2)
    assert np.array_equal(counted.predict(X), counted.search_.predict(X))
    assert "Together at most 3.5 per person" in counted.report()


def test_a_limit_stops_a_search():
    X, y = people(40)
    with pytest.raises(LimitError):
        CountedSearch(search(cv=3, error_score="raise"), limit=1).fit(X, y)


def test_epsilons_inside_pipelines_and_of_random_searches():
    pipeline = make_pipeline(StandardScaler(), SemiPrivateRegressor(2.0, **KNOWN))
    assert SearchCost.of(pipeline, cv=3).per_person == 4
    name = "semiprivateregressor__epsilon"
    grid = GridSearchCV(pipeline, {name: [1, 3]}, cv=2, refit=False)
    assert SearchCost.of(grid).epsilons == (1, 3)
    random = RandomizedSearchCV(pipeline, {name: [1, 3]}, n_iter=2, cv=2, refit=False)
    assert SearchCost.of(random).epsilons == (3, 3)  # the dearest it could draw
    drawn = RandomizedSearchCV(pipeline, {name: uniform(1, 2)}, n_iter=5, cv=2)
    assert SearchCost.of(drawn).epsilons == (3,) * 5
    seeded = SearchCost.of(drawn.set_params(random_state=0)).epsilons
    assert len(set(seeded)) == 5
    assert all(1 <= each <= 3 for each in seeded)


class Halving:
    """Looks like a search that halves its candidates."""

    factor, param_grid, estimator, cv, refit = 3, {"first_share": [0.5]}, SemiPrivateRegressor(), 2, True


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((3,), "`search` must be a search"),
        ((Ridge(),), "without a private estimator inside"),
        ((GridSearchCV(Ridge(), {"alpha": [1]}),), "without a private estimator inside"),
        ((Halving(),), "Got one that halves them"),
    ],
)
def test_what_is_no_search_over_private_estimators_is_refused(given, says):
    with pytest.raises(InputError, match=says):
        SearchCost.of(*given)
    with pytest.raises(InputError, match="`cv` must be None with a search"):
        SearchCost.of(search(), cv=3)


def warned(search, X, y):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search.fit(X, y)
    return [each for each in caught if issubclass(each.category, EpsilonSearchWarning)]


def test_a_search_over_epsilon_is_told_once_what_its_answer_means():
    X, y = people(40)
    over = search({"epsilon": [1, 4]}, cv=2)
    (told,) = warned(over, X, y)
    assert "no question of tuning" in str(told.message)
    assert told.filename == __file__
    assert warned(over, X, y) == []  # this one has been told
    assert len(warned(search({"epsilon": [1, 4]}, cv=2), X, y)) == 1
    assert warned(search({"epsilon": [4], "first_share": [0.3, 0.6]}, cv=2), X, y) == []
    assert warned(search(cv=2), X, y) == []


def test_a_search_through_a_pipeline_or_by_chance_or_in_workers_is_told_too():
    X, y = people(40)
    pipeline = make_pipeline(SemiPrivateRegressor(2.0, **KNOWN))
    name = "semiprivateregressor__epsilon"
    assert len(warned(GridSearchCV(pipeline, [{name: [1]}, {name: [2]}], cv=2), X, y)) == 1
    assert len(warned(RandomizedSearchCV(pipeline, {name: uniform(1, 2)}, n_iter=2, cv=2, random_state=0), X, y)) == 1
    with parallel_config(backend="threading", n_jobs=2):  # workers do not see the search; the last fit does
        assert len(warned(search({"epsilon": [1, 2]}, cv=2), X, y)) == 1


def test_setting_epsilon_by_hand_is_no_search():
    X, y = people(40)
    model = SemiPrivateRegressor(2.0, **KNOWN)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for epsilon in (1.0, 2.0):
            clone(model).set_params(epsilon=epsilon).fit(X, y)
