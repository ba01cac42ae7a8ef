"""Text, dates and categories in X: which columns have them, and how to turn them into numbers."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from semildp.errors import InputError
from semildp.estimators.names import dtypes_of, is_frame, labels_of, listed

_DATES = ("date", "time", "duration", "period")  # how dtypes of pandas, polars and numpy that hold times begin
_CATEGORIES = ("categor", "enum")
_HOW = (
    "Code a date as a number, as days since a fixed day, and an ordered category as 0, 1, 2, .... Other ones are "
    "taken from a data frame's columns of text, categories or truth values: pass X as a data frame, and the values as "
    "feature_bounds={'name': ['one', 'other'], ...}. Take days and values from public knowledge, not from the data."
)


def refuse_dates(X: Any) -> None:
    """Refuse columns of dates, which numpy would turn into nanoseconds since 1970 without a word."""
    _refuse({"dates": [name for name, dtype in _dtypes(X) if dtype.startswith(_DATES)]})


def refuse_words(X: Any) -> None:
    """Refuse text, dates and categories that are not numbers; say nothing if there are none."""
    found: dict[str, list[Any]] = {"text": [], "dates": [], "categories": []}
    try:
        table = np.asarray(X, dtype=object)
    except (ValueError, TypeError):  # rows of different lengths, and stranger things
        return
    if table.ndim != 2:
        return
    dtypes = dict(enumerate(_dtypes(X)))
    for j in range(table.shape[1]):
        name, dtype = dtypes.get(j, (f"column {j}", ""))
        kinds = {_kind(value) for value in table[:, j]}
        if "text" in kinds and dtype.startswith(_CATEGORIES):
            kinds = {"categories"}
        for kind in kinds & set(found):
            found[kind].append(name)
    _refuse(found)


def _dtypes(X: Any) -> list[tuple[Any, str]]:
    """Return name and dtype of each column of a frame, or of an array as a whole; nothing for anything else."""
    if is_frame(X):
        return list(zip(labels_of(X), dtypes_of(X), strict=True))
    return [("every column", X.dtype.name)] if isinstance(X, np.ndarray) and X.dtype.kind in "mM" else []


def _kind(value: Any) -> str:
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta | np.datetime64 | np.timedelta64):
        return "dates"
    if isinstance(value, str | bytes):
        try:
            float(value)
        except ValueError:
            return "text"
    return "a number, or nothing we know"


def _refuse(found: dict[str, list[Any]]) -> None:
    got = ", ".join(f"{kind} in {listed(names)}" for kind, names in found.items() if names)
    if got:
        raise InputError(f"`X` must be made of numbers. Got {got}. {_HOW}")
