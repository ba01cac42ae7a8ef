"""Columns of categories: recognised in data frames, and coded as their places in a public list of values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from semildp._arrays import Bools, Floats
from semildp.errors import refusal
from semildp.estimators.names import dtypes_of, is_frame, labels_of, listed

BOOLEAN = ("False", "True")
Values = tuple[str, ...]
_TEXT = ("object", "str", "utf8", "large_string")  # how dtypes of pandas, polars and pyarrow that may hold text begin
_CATEGORIES = ("categor", "enum", "dictionary")


def category_columns(X: Any) -> list[int]:
    """Return which columns of a frame hold categories, truth values, or text that is not all numbers."""
    if not is_frame(X):
        return []
    return [
        j
        for j, dtype in enumerate(dtypes_of(X))
        if dtype.startswith((*_CATEGORIES, "bool")) or (dtype.startswith(_TEXT) and _is_text(_column(X, j)))
    ]


def is_boolean(X: Any, j: int) -> bool:
    """Whether the type of a frame's column says that it holds truth values."""
    return dtypes_of(X)[j].startswith("bool")


def values_in(X: Any, j: int) -> Values:
    """Return the values that the column's type lists, else those that occur, sorted."""
    dtype = X.dtypes.iloc[j] if hasattr(X, "iloc") else None
    declared = getattr(dtype, "categories", None)
    if declared is not None:
        return tuple(str(value) for value in declared)
    return tuple(sorted({str(value) for value in _column(X, j) if not _missing(value)}))


def coded(X: Any, values: Mapping[int, Values]) -> Any:
    """Return X with each category coded as its place in the list of values; NaN for missing and unknown ones.

    An array, in `predict`, may hold the values at the same places as the frame that was fitted.
    """
    if not values:
        return X
    if not is_frame(X):
        return _coded_array(X, values)
    names = labels_of(X)
    codes = {j: _codes(_column(X, j), known) for j, known in values.items()}
    if hasattr(X, "isetitem"):  # pandas
        copy = X.copy(deep=False)
        for j, column in codes.items():
            copy.isetitem(j, column)
        return copy
    if hasattr(X, "set_column"):  # pyarrow
        for j, column in codes.items():
            X = X.set_column(j, names[j], [column])
        return X
    return X.with_columns([type(X.to_series(0))(names[j], column) for j, column in codes.items()])


def refuse_unknown(X: Any, codes: Floats, mask: Bools, values: Mapping[int, Values]) -> None:
    """Refuse public entries that are not among the values of their category; what is private is never refused."""
    for j, known in values.items():
        public = np.flatnonzero(np.isnan(codes[:, j]) & ~mask[:, j])
        column = _column(X, j) if len(public) else []
        bad = sum(not _missing(column[i]) for i in public)
        if bad:
            got = f"other values in {bad} rows"
            raise refusal(f"X[{labels_of(X)[j]!r}]", f"one of {listed(known)} where it is public", got)


def _column(X: Any, j: int) -> list[Any]:
    """Return one column of a frame as Python objects."""
    if hasattr(X, "set_column"):  # pyarrow
        return list(X.column(j).to_pylist())
    return list((X.iloc[:, j] if hasattr(X, "iloc") else X.to_series(j)).to_list())


def _coded_array(X: Any, values: Mapping[int, Values]) -> Any:
    try:
        table = np.array(X, dtype=object)
    except (ValueError, TypeError):  # rows of different lengths, and stranger things: refused where arrays are read
        return X
    if table.ndim != 2 or table.shape[1] <= max(values):
        return X
    for j, known in values.items():
        table[:, j] = _codes(list(table[:, j]), known)
    return table


def _codes(column: list[Any], values: Values) -> Floats:
    place: dict[Any, float] = {value: float(k) for k, value in enumerate(values)}
    if values == BOOLEAN:
        place |= {False: 0.0, True: 1.0}  # and so 0 and 1
    words = [place.get(v, np.nan) if type(v) is str else _place(v, place) for v in column]
    return np.array(words, dtype=np.float64)


def _place(value: Any, place: Mapping[Any, float]) -> float:
    if _missing(value):
        return np.nan
    try:
        return place[value] if value in place else place.get(str(value), np.nan)
    except TypeError:  # a list, or something else that is no value
        return np.nan


def _missing(value: Any) -> bool:
    if isinstance(value, float | np.floating):
        return bool(np.isnan(value))
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _is_text(column: list[Any]) -> bool:
    """Whether a column holds words or truth values and nothing else, and not only words that are numbers."""
    words_only = set(map(type, column)) == {str}
    known = column if words_only else [value for value in column if not _missing(value)]
    if not known or not (words_only or all(isinstance(value, str | bool | np.bool_) for value in known)):
        return False
    return any(not isinstance(value, str) or not _is_number(value) for value in known)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
