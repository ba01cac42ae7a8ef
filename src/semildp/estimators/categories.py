"""Columns of categories in a data frame: recognised, given public values, and coded as their places in the list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from semildp._arrays import Floats
from semildp.errors import refusal
from semildp.estimators.names import is_frame, labels_of, listed

_BOOLEAN = ("False", "True")
Values = tuple[str, ...]


def category_columns(X: Any) -> dict[int, Values | None]:
    """Return the columns of a frame that hold categories, text or truth values; with their values if the type says so.

    Text that is all numbers is taken as numbers.
    """
    if not is_frame(X) or not hasattr(X, "dtypes"):
        return {}
    found: dict[int, Values | None] = {}
    for j, dtype in enumerate(str(dtype).lower() for dtype in X.dtypes):
        text = dtype.startswith(("object", "str", "utf8", "large_string"))
        if dtype in ("bool", "boolean"):
            found[j] = _BOOLEAN
        elif dtype.startswith(("categor", "enum")) or (text and _is_text(_column(X, j))):
            found[j] = None
    return found


def values_in(X: Any, j: int) -> Values:
    """Return the values that occur in a column, sorted."""
    return tuple(sorted({str(value) for value in _column(X, j) if not _missing(value)}))


def coded(X: Any, values: Mapping[int, Values]) -> Any:
    """Return the frame with each category coded as its place in the list of values; NaN for missing and unknown."""
    if not values:
        return X
    names = labels_of(X)
    codes = {j: _codes(_column(X, j), listed_values) for j, listed_values in values.items()}
    if hasattr(X, "isetitem"):  # pandas
        copy = X.copy(deep=False)
        for j, column in codes.items():
            copy.isetitem(j, column)
        return copy
    series = type(X.to_series(0))
    return X.with_columns([series(names[j], column) for j, column in codes.items()])


def refuse_unknown(X: Any, codes: Floats, mask: Any, values: Mapping[int, Values]) -> None:
    """Refuse public entries that are not among the values of their category; what is private is never refused."""
    for j, known in values.items():
        bad = np.isnan(codes[:, j]) & ~mask[:, j] & ~np.array([_missing(v) for v in _column(X, j)])
        if bad.any():
            got = f"others in {int(bad.sum())} rows"
            raise refusal(f"column {listed([labels_of(X)[j]])}", f"one of its values {listed(known)}", got)


def _column(X: Any, j: int) -> list[Any]:
    """Return one column as Python objects."""
    column = X.iloc[:, j] if hasattr(X, "iloc") else X.to_series(j)
    return list(column.to_list())


def _codes(column: list[Any], values: Values) -> Floats:
    place = {value: float(k) for k, value in enumerate(values)}
    return np.array([np.nan if _missing(v) else place.get(str(v), np.nan) for v in column])


def _missing(value: Any) -> bool:
    return value is None or value != value or type(value).__name__ in ("NAType", "NaTType")


def _is_text(column: list[Any]) -> bool:
    """Whether a column holds text that is not a number, and nothing but text and numbers."""
    kinds = [isinstance(value, str | bool | np.bool_) for value in column if not _missing(value)]
    return any(kinds) and all(kinds) and not _all_numbers(column)


def _all_numbers(column: list[Any]) -> bool:
    for value in column:
        if _missing(value):
            continue
        if isinstance(value, bool | np.bool_):
            return False
        try:
            float(value)
        except (TypeError, ValueError):
            return False
    return True
