"""No message, of an error or a warning, shows a private value or a label, whatever is wrong with the input."""

from __future__ import annotations

import traceback
import warnings

import numpy as np
import pandas as pd
import pytest

from semildp import HistOfTreeRegressor, PrivacyLeakWarning, SemiPrivateRegressor, client, mechanisms
from semildp.baselines import PrivateHistogramRegressor, PublicTreeRegressor, RandomizedFeatureTreeRegressor
from semildp.domains import FeatureBounds, LabelGrid
from semildp.mechanisms import DiscreteLaplace, GeneralisedResponse, PairResponse
from semildp.sources import SeededSource
from semildp.study import Feature, Number, Study
from semildp.wire.codec import encode
from semildp.wire.messages import Question
from tests.test_mechanisms import mechanism_classes

SECRET, LABEL = 0.73218465, 3.19467285  # no other number here has these digits
DIGITS = ("7321", "7322", "3.19", "319467", "1946", "secret")
N = 12
GIVEN = {"label_bounds": (-2.0, 4.5), "feature_bounds": (0.0, 1.0), "random_state": 0}
KINDS = [
    HistOfTreeRegressor,
    HistOfTreeRegressor.paper,
    SemiPrivateRegressor,
    PublicTreeRegressor,
    RandomizedFeatureTreeRegressor,
    PrivateHistogramRegressor,
]


def people():
    X, y = np.full((N, 3), 0.5), np.linspace(-1.0, 1.0, N)
    X[:, 0], y[3] = SECRET, LABEL
    mask = np.zeros((N, 3), dtype=bool)
    mask[:, 0] = True
    return X, y, mask


def entry(value):
    """Rows with something else in one private entry."""
    X, y, mask = people()
    rows = X.astype(object)
    rows[2, 0] = value
    return rows, y, mask


def label(value):
    X, y, mask = people()
    labels = y.astype(object)
    labels[2] = value
    return X, labels, mask


def public(value):
    X, y, mask = people()
    X[4, 2] = value
    return X, y, mask


WRONG = {
    "text in a private entry": lambda: entry("secret 0.73218465"),
    "text in a label": lambda: label("secret 3.19467285"),
    "a private entry that is complex": lambda: entry(SECRET + 1j),
    "a label that is complex": lambda: label(LABEL + 1j),
    "a private entry that is a list": lambda: entry([SECRET]),
    "a label that is a list": lambda: label([LABEL]),
    "a private entry beyond float64": lambda: entry(7321846 * 10**400),
    "a label beyond float64": lambda: label(319467285 * 10**400),
    "a label that is missing": lambda: label(float("nan")),
    "a label that is infinite": lambda: label(float("inf")),
    "an entry that is infinite": lambda: public(float("inf")),
    "a public entry that is missing": lambda: public(float("nan")),
    "a public entry that is outside": lambda: public(9.0),
    "a label that is outside": lambda: label(31946.7285),
    "rows of different lengths": lambda: ([[SECRET, 0.5, 0.5], [SECRET, 0.5]] * 6, people()[1], people()[2]),
    "one row too few": lambda: (people()[0][1:], *people()[1:]),
    "one person as a plain list": lambda: (people()[0][:, 0], *people()[1:]),
    "labels in a table": lambda: (people()[0], np.column_stack([people()[1]] * 2), people()[2]),
    "text in a frame": lambda: (pd.DataFrame({"a": ["secret"] * N, "b": [0.5] * N, "c": [0.5] * N}), *people()[1:]),
    "a mask of another shape": lambda: (*people()[:2], people()[2][:, :2]),
    "a mask of other numbers": lambda: (*people()[:2], np.where(people()[2], SECRET, 0.0)),
}
ACCEPTED = ("a public entry that is outside", "a public entry that is missing")  # where all is private


def said(call):
    """Return all that is said, errors behind errors included."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call()
        except Exception as problem:  # whatever it is, it says something
            texts = list(_chain(traceback.TracebackException.from_exception(problem)))
        else:
            texts = []
    return texts + [str(w.message) for w in caught]


def _chain(problem):
    """Yield what a traceback prints of an error and of those it came from, without lines of code."""
    while problem is not None:
        yield from problem.format_exception_only()
        problem = problem.__cause__ or (None if problem.__suppress_context__ else problem.__context__)


def assert_silent_about_values(texts):
    for text in texts:
        assert not any(digits in text for digits in DIGITS), text


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("kind", KINDS)
def test_what_estimators_refuse(kind, wrong):
    X, y, mask = WRONG[wrong]()
    texts = said(lambda: kind(**GIVEN).fit(X, y, mask=mask))
    accepted = kind is PrivateHistogramRegressor and wrong in ACCEPTED
    assert texts or accepted, "nothing was refused"
    assert_silent_about_values(texts)


WORDS = {  # of a private column, and its values if they are given
    "a word that is not among the values": (["red", "secret"], ["red", "blue"]),
    "a word too long for a value": (["red", "secret" * 99], None),
    "a word that cannot be printed": (["red", "secret\x07"], None),
    "one word alone": (["secret", "secret"], None),
    "words and numbers": (["secret", 0.5], None),
    "words and dates": (["secret", pd.Timestamp("2020-01-01")], None),
    "a word and a missing one": (["secret", None], None),
    "a word where a number should be": (["secret", "0.5"], (0.0, 1.0)),
}


@pytest.mark.parametrize("wrong", WORDS)
@pytest.mark.parametrize("kind", KINDS)
def test_words_of_a_private_category_are_not_shown(kind, wrong):
    words, values = WORDS[wrong]
    frame = pd.DataFrame({"a": words * (N // 2), "b": [0.5] * N, "c": [0.5] * N})
    bounds = {"b": (0, 1), "c": (0, 1), **({} if values is None else {"a": values})}
    model = kind(**{**GIVEN, "feature_bounds": bounds})
    assert_silent_about_values(said(lambda: model.fit(frame, *people()[1:])))
    assert hasattr(model, "model_") == (wrong == "a word that is not among the values")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("labels", ["all the same", "one", "many"])
def test_bounds_read_from_the_data_are_not_shown(kind, labels):
    X, y, mask = people()
    X, y, mask = {
        "all the same": (X, np.full(N, LABEL), mask),
        "one": (X[:1], np.full(1, LABEL), mask[:1]),
        "many": (X, y, mask),
    }[labels]
    texts = said(lambda: kind(random_state=0).fit(X, y, mask=mask))
    assert texts
    assert_silent_about_values(texts)


@pytest.mark.parametrize("kind", KINDS)
def test_queries_that_are_refused_are_not_shown(kind):
    X, y, mask = people()
    model = kind(**GIVEN).fit(X, y, mask=mask)
    for queries in (X[0], [["secret", 0.5, 0.5]], X + 1j, X[:, :2], [[7321846 * 10**400, 0, 0]]):
        texts = said(lambda queries=queries: model.predict(queries))
        assert texts
        assert_silent_about_values(texts)


BOX, GRID = FeatureBounds((0.0,) * 3, (1.0,) * 3), LabelGrid(0.0, 1.0, 4)
ROWS, NONE = [[SECRET, 0.5, 0.5]], np.zeros((1, 3), dtype=bool)
STUDY = Study(
    name="refusals", epsilon=1.0, label=Number(0, 1), features=tuple(Feature(name, Number(0, 1)) for name in "abc")
)


def device(values, hidden=("a",)):
    return client.Device(STUDY, values, LABEL, list(hidden), client.Ledger(1), SeededSource(0))


DEVICE = {
    "ragged rows": lambda: client.complete_rows(BOX, [*ROWS, [SECRET]], NONE, SeededSource(0)),
    "rows of text": lambda: client.complete_rows(BOX, np.array([["secret", "0", "0"]]), NONE, SeededSource(0)),
    "too few columns": lambda: client.complete_rows(BOX, np.array([[SECRET]]), NONE, SeededSource(0)),
    "a missing public entry": lambda: client.complete_rows(
        BOX, np.array([[SECRET, np.nan, 0.5]]), NONE, SeededSource(0)
    ),
    "a public entry outside": lambda: client.complete_rows(BOX, np.array([[SECRET, 73.21, 5]]), NONE, SeededSource(0)),
    "values of another number": lambda: device([SECRET, 0.5]),
    "values in an array": lambda: device(np.array([SECRET, 0.5, 0.5])),
    "values in words": lambda: device("secret 0.73218465"),
    "values by name": lambda: device({"a": SECRET}),
    "a hidden feature that there is not": lambda: device([SECRET, 0.5, 0.5], ["d"]),
    "a label of another kind": lambda: device([SECRET, 0.5, 0.5]).answer(b"secret"),
    "a device's missing public entry": lambda: device([SECRET, None, 0.5]).enrol(),
    "a question of another study": lambda: device([SECRET, 0.5, 0.5]).answer(encode(Question("0" * 64, 1, ()))),
    "a ragged mask": lambda: client.complete_rows(BOX, np.array(ROWS), [[True], [SECRET, 0.5]], SeededSource(0)),
    "ragged labels": lambda: client.check_labels(GRID, [[LABEL], [LABEL, 1.0]]),
    "labels of text": lambda: client.check_labels(GRID, np.array(["secret"])),
    "one label, not a list": lambda: client.check_labels(GRID, LABEL),
    "a label outside": lambda: client.check_labels(GRID, np.array([LABEL])),
    "a missing label": lambda: client.check_labels(GRID, np.array([LABEL, np.nan])),
    "a label beyond the grid": lambda: DiscreteLaplace(1.0, 4).randomise(np.array([31946]), SeededSource(0)),
    "a label between points": lambda: DiscreteLaplace(1.0, 4).randomise(np.array([LABEL]), SeededSource(0)),
    "as many values as sizes": lambda: GeneralisedResponse(1.0, np.array([2, 2])).randomise(
        np.array([7321]), SeededSource(0)
    ),
    "a pair that is none": lambda: PairResponse(1.0, 2, 2, "subset").send(
        np.array([7321]), np.array([1946]), SeededSource(0)
    ),
}


@pytest.mark.parametrize("wrong", DEVICE)
def test_what_a_device_refuses(wrong):
    texts = said(DEVICE[wrong])
    assert texts, "nothing was refused"
    assert_silent_about_values(texts)


@pytest.mark.parametrize(
    "value", [[7321], [-7321], [SECRET], [[7321]], "secret", [7321, "secret"], [[7321], [1946, 2]]]
)
@pytest.mark.parametrize("name", mechanism_classes())
def test_what_mechanisms_refuse(name, value):
    texts = said(lambda: getattr(mechanisms, name)(1.0, 4).randomise(value, SeededSource(0)))
    assert texts, "nothing was refused"
    assert_silent_about_values(texts)


def test_the_search_finds_values_behind_an_error():
    def plain():
        raise ValueError(f"Got {LABEL}.")

    def behind():
        try:
            plain()
        finally:
            int("no")

    def warned():
        warnings.warn(f"Got {SECRET:.4g}.", PrivacyLeakWarning, stacklevel=2)

    for call in (plain, behind, warned):
        with pytest.raises(AssertionError):
            assert_silent_about_values(said(call))
