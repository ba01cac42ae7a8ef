"""All that can be seen of a fit: errors, warnings, prints, words, state, account, answers, the curator's view."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin

from semildp import study
from semildp.sources import SeededSource, SystemSource
from semildp.wire.forms import read_partition
from tests.flow.curator import Given


class Keeper(RegressorMixin, BaseEstimator):
    """A learner that keeps all it is given, so that it becomes part of the fitted state."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Keeper:
        self.given_ = [np.array(X), np.array(y), None if sample_weight is None else np.array(sample_weight)]
        self.n_features_in_ = np.shape(X)[1]
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), float(np.mean(self.given_[1])))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class Words:
    """Remembers which source was asked for which shape of words, in order, and all words handed out."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.asked: list[tuple[int, tuple[int, ...]]] = []
        self.handed_out: list[Any] = []
        self._sources: list[Any] = []
        bits = np.random.PCG64(99)
        patch.setattr(os, "urandom", lambda n: bits.random_raw(-(-n // 8)).tobytes()[:n])
        for kind in (SeededSource, SystemSource):
            patch.setattr(kind, "words", self._counted(kind.words))
        patch.setattr(SeededSource, "later", self._counted_later(SeededSource.later))

    def _ask(self, source: Any, shape: tuple[int, ...]) -> None:
        if not any(source is known for known in self._sources):
            self._sources.append(source)
        self.asked.append((next(i for i, known in enumerate(self._sources) if known is source), shape))

    def _hand_out(self, drawn: Any) -> Any:
        self.handed_out.append(np.array(drawn).reshape(-1))
        return drawn

    def _counted(self, own: Callable[..., Any]) -> Callable[..., Any]:
        def words(source: Any, *shape: int) -> Any:
            self._ask(source, shape)
            return self._hand_out(own(source, *shape))

        return words

    def _counted_later(self, own: Callable[..., Any]) -> Callable[..., Any]:
        def later(source: Any, *shape: int) -> Callable[[], Any]:
            before = len(self.asked)
            promised = own(source, *shape)
            if len(self.asked) > before:  # few are drawn at once, by `words`
                return promised
            self._ask(source, shape)
            return lambda: self._hand_out(promised())

        return later


def seen(build: Callable[[], Any], X: Any, y: Any, mask: Any, queries: Any) -> dict[str, Any]:
    """Fit `build()` and return all that can be seen of it, by name; the operating system's words are always the same.

    X and y are copied first, and their copies are part of what is seen only if the fit writes to them.
    """
    rows, labels = X.copy(), y.copy()
    study._box.cache_clear()
    read_partition.cache_clear()  # what an earlier fit has read would be shared, and pickled as one object
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        words, given = Words(patch), Given(patch)
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            result = _outcome(build, rows, labels, mask, queries)
    return {
        **result,
        "printed": printed.getvalue(),
        "warnings": [(w.category, str(w.message)) for w in caught],
        "words drawn": words.asked,
        "given to the curator": given.calls,
        "input written to": not (_same(rows, X) and np.array_equal(labels, y)),
    }


def _same(one: Any, other: Any) -> bool:
    return bool(one.equals(other)) if hasattr(one, "equals") else np.array_equal(one, other, equal_nan=True)


def _outcome(build: Callable[[], Any], X: Any, y: Any, mask: Any, queries: Any) -> dict[str, Any]:
    model = build()
    try:
        model.fit(X, y, mask=mask)
    except Exception as problem:  # whatever it is, it is seen
        return {"error": (type(problem), str(problem)), "state": pickle.dumps(model)}
    model.report()
    return {
        "error": None,
        "state": pickle.dumps(model),
        "account": (model.privacy_, model.privacy_.as_text(), model.privacy_.as_html()),
        "predictions": model.predict(queries).tobytes(),
        "shown": repr(model),
    }


def differences(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Return the names of what is not the same, bit for bit."""
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
