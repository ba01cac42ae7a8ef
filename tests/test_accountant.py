"""Fits on the same people add up; an accountant counts them, exactly, and refuses the one too many."""

from __future__ import annotations

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import BaggingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_validate

from semildp import BudgetAccountant, HistOfTreeRegressor, InputError, LimitError, SemiPrivateRegressor, sources
from semildp.baselines import LabelTreeRegressor
from semildp.estimators.figures import rounded_down, rounded_up
from tests.people import BOUNDS, simulate

X, Y, _ = simulate(60)


def model(epsilon=1.0, **parameters):
    return SemiPrivateRegressor(epsilon, **{**BOUNDS, "learner": LinearRegression(), **parameters})


def test_fits_of_all_kinds_add_up():
    with BudgetAccountant() as accountant:
        model(0.5).fit(X, Y).fit(X, Y)
        HistOfTreeRegressor(2.0, **BOUNDS).fit(X, Y)
        LabelTreeRegressor(0.25, **BOUNDS).fit(X, Y)
    model().fit(X, Y)  # outside
    assert accountant.spent == Fraction(13, 4)
    assert (accountant.limit, accountant.left) == (None, None)
    assert [(fit.estimator, fit.epsilon) for fit in accountant.fits] == [
        ("SemiPrivateRegressor", Fraction(1, 2)),
        ("SemiPrivateRegressor", Fraction(1, 2)),
        ("HistOfTreeRegressor", Fraction(2)),
        ("LabelTreeRegressor", Fraction(1, 4)),
    ]


def test_ten_tenths_are_one_and_an_eleventh_is_refused():
    with BudgetAccountant(limit=1.0) as accountant:
        for _ in range(10):
            model(0.1).fit(X, Y)
        assert (accountant.spent, accountant.left) == (1, 0)
        with pytest.raises(LimitError, match=r"what is left of the accountant's limit, 0 of 1\. Got 0\.1\. Nobody was"):
            model(0.1).fit(X, Y)
        with pytest.raises(LimitError, match="Got 1e-12"):
            model(1e-12).fit(X, Y)
    assert accountant.spent == 1


def test_nothing_is_drawn_for_a_fit_that_is_refused(monkeypatch):
    def refuse(*_):
        raise AssertionError("something was drawn")

    monkeypatch.setattr(sources.SystemSource, "words", refuse)
    fitted = model(3.1)
    with BudgetAccountant(limit=3) as accountant, pytest.raises(LimitError):
        fitted.fit(X, Y)
    assert not hasattr(fitted, "privacy_")
    assert accountant.fits == ()


def test_a_fit_that_is_refused_for_its_input_costs_nothing_and_one_that_breaks_costs_all():
    class Breaks(LinearRegression):
        def fit(self, X, y, sample_weight=None):
            raise RuntimeError("broken")

    with BudgetAccountant() as accountant:
        with pytest.raises(InputError):
            model().fit(X, Y, mask=np.full((60, 5), 2))
        assert accountant.spent == 0
        with pytest.raises(RuntimeError):
            model(learner=Breaks()).fit(X, Y)
        assert accountant.spent == 1


@pytest.mark.filterwarnings("ignore::semildp.errors.EpsilonSearchWarning")
def test_cross_validation_and_search_ask_people_again_for_each_fold_and_candidate():
    with BudgetAccountant() as accountant:
        cross_validate(model(), X, Y, cv=3)
        assert accountant.spent == 3
        GridSearchCV(model(), {"epsilon": [1.0, 2.0]}, cv=2).fit(X, Y)
    assert accountant.spent - 3 in (2 * 1 + 2 * 2 + 1, 2 * 1 + 2 * 2 + 2)  # two folds each, and the better one again
    assert len(accountant.fits) == 8


def test_accountants_inside_each_other_all_count_or_none():
    with BudgetAccountant(limit=2.5) as outer, BudgetAccountant(limit=1.5) as inner:
        model().fit(X, Y)
        with pytest.raises(LimitError, match=r"0\.5 of 1\.5"):
            model().fit(X, Y)
    assert (outer.spent, inner.spent) == (1, 1)
    with outer:
        model().fit(X, Y)
    assert (outer.spent, inner.spent) == (2, 1)
    with outer, pytest.raises(InputError, match="entered once at a time"), outer:
        pass


def test_an_accountant_is_closed_when_its_block_breaks_off():
    with pytest.raises(RuntimeError), BudgetAccountant(limit=0.5) as accountant:
        raise RuntimeError
    model().fit(X, Y)
    assert accountant.spent == 0


def test_threads_with_accountants_of_their_own_do_not_count_each_other():
    both_open, spent = threading.Barrier(2), []

    def study(fits):
        with BudgetAccountant() as accountant:
            both_open.wait()
            for _ in range(fits):
                model().fit(X, Y)
            both_open.wait()
        spent.append((fits, accountant.spent))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(study, [1, 3]))
    assert sorted(spent) == [(1, 1), (3, 3)]


def test_worker_threads_are_counted():
    with BudgetAccountant(limit=5) as accountant, joblib.parallel_config(backend="threading", n_jobs=2):
        cross_validate(model(), X, Y, cv=3, error_score="raise")
        assert accountant.spent == 3
        with pytest.raises(LimitError):
            cross_validate(model(), X, Y, cv=3, error_score="raise")
    assert accountant.spent == 5


def test_the_limit_holds_whatever_threads_run_at_once():
    def one(_):
        try:
            model(0.1).fit(X, Y)
        except LimitError:
            return 0
        return 1

    with BudgetAccountant(limit=1.0) as accountant, ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(one, range(25))) == 10
    assert accountant.spent == 1


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")  # Python 3.12 on, of any fork
@pytest.mark.parametrize("backend", ["loky", "multiprocessing"])
def test_a_worker_process_that_could_not_be_counted_is_refused(backend):
    """Silently not counting would be the worst.

    Failed fits are told when all are done: a pool of forked processes that is broken off may wait for itself forever.
    """
    with joblib.parallel_config(backend=backend, n_jobs=2):
        refused = pytest.raises(ValueError, match="Got a worker process, whose fits it could not count")
        with BudgetAccountant() as accountant, refused:
            cross_validate(model(), X, Y, cv=2)
        assert accountant.fits == ()
        assert np.isfinite(cross_validate(model(), X, Y, cv=2)["test_score"]).all()


def test_a_worker_process_of_an_ensemble_is_refused_too():
    refused = pytest.raises(InputError, match="Got a worker process")
    with joblib.parallel_config(backend="loky", n_jobs=2), BudgetAccountant() as accountant, refused:
        BaggingRegressor(model(), 2, n_jobs=2).fit(X, Y)
    assert accountant.fits == ()


def test_a_model_saved_inside_a_block_can_be_used_after_it():
    with BudgetAccountant() as accountant:
        saved = pickle.dumps(model().fit(X, Y))
        clone(pickle.loads(saved)).fit(X, Y)
    assert accountant.spent == 2
    again = pickle.loads(saved).fit(X, Y)
    assert "_counted_in" not in vars(pickle.loads(pickle.dumps(again)))


def test_what_is_printed_is_never_less_than_was_spent_nor_more_than_is_left():
    with BudgetAccountant(limit=Fraction(4)) as accountant:
        model(1.00049).fit(X, Y)
        model(1.00049).fit(X, Y)
    assert accountant.as_text() == (
        "2 fits, counted as asking the same people:\n"
        "  - 2 x SemiPrivateRegressor, epsilon 1.001\n"
        "Together at most 2.001 per person (limit 4, 1.999 left)."
    )
    assert "(no limit)" in BudgetAccountant().as_text()


@pytest.mark.parametrize("limit", [0, -1, float("nan"), "3", True])
def test_bad_limits_are_refused(limit):
    with pytest.raises(InputError, match="`limit` must be a finite number above 0"):
        BudgetAccountant(limit)


def test_rounding_goes_one_way():
    rng = np.random.default_rng(0)
    for value in 10 ** rng.uniform(-12, 12, size=2000):
        down, exact, up = (Fraction(text) for text in (rounded_down(value), repr(float(value)), rounded_up(value)))
        assert down <= exact <= up
        assert up - down <= exact / 999
    assert [rounded_up(e) for e in (1, 0.1, 0.25, 0.0, 1e12, 2 / 3)] == ["1", "0.1", "0.25", "0", "1e+12", "0.6667"]
