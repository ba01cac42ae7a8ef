"""Reading public domains: bounds of numbers and values of categories; what is not given is read from the data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from semildp._arrays import Floats
from semildp._checks import short
from semildp.domains import check_interval
from semildp.errors import refusal
from semildp.estimators.categories import Values, category_columns, values_in
from semildp.estimators.inputs import is_list, leak, pair
from semildp.estimators.names import NO_NAMES, Columns, labels_of, listed
from semildp.study import Category, Number

_PAIRS = "one (low, high) pair, or for each of {} features a pair or a list of a category's values"


def read_categories(bounds: Any, X: Any, leaks: list[str]) -> dict[int, Values]:
    """Return the values of each column that holds a category: as given, or from the data with a warning."""
    values: dict[int, Values] = {}
    for j, known in category_columns(X).items():
        given = _given_values(bounds, labels_of(X), j)
        if given is not None:
            values[j] = given
        elif known is not None:
            values[j] = known
        else:
            values[j] = _read_values(X, j, leaks)
    return values


def _read_values(X: Any, j: int, leaks: list[str]) -> Values:
    name = labels_of(X)[j]
    leak(leaks, f"values of {name}", "the data, private entries included", f"feature_bounds={{{name!r}: [...], ...}}")
    found = values_in(X, j)
    if len(found) < 2:
        raise refusal(f"feature_bounds[{short(name)}]", "a list of two values or more", f"a column with {len(found)}")
    return found


def _given_values(bounds: Any, names: tuple[Any, ...], j: int) -> Values | None:
    """Return the list of words that was given for a column, if one was."""
    entry: Any = None
    if isinstance(bounds, Mapping):
        entry = bounds.get(names[j])
    elif is_list(bounds) and len(bounds) == len(names) and any(is_list(each) for each in bounds):
        entry = bounds[j]
    words = is_list(entry) and len(entry) > 0 and all(isinstance(word, str | bool | np.bool_) for word in entry)
    return tuple(str(word) for word in entry) if words else None


def read_domains(
    bounds: Any, X: Floats, columns: Columns, values: Mapping[int, Values], leaks: list[str]
) -> list[Number | Category]:
    """Return the domain of each feature, from one pair for all, an entry per feature or by name; else from the data."""
    names, count = columns.names, columns.count
    numbers = [j for j in range(count) if j not in values]
    pairs: dict[int, tuple[float, float]] = {}
    if bounds is None:
        if numbers:
            advice = "feature_bounds=(low, high) or one pair per feature"
            leak(leaks, "feature_bounds", "the data, private entries included", advice)
        pairs = {j: _ends_of_data(X[:, j]) for j in numbers}
    elif isinstance(bounds, Mapping):
        entries = _by_name(bounds, names, [j for j in range(count) if j in values])
        pairs = {j: _pair(names, j, entries[j]) for j in numbers}
    elif not is_list(bounds):
        raise refusal("feature_bounds", _PAIRS.format(count), short(bounds))
    elif not any(is_list(each) for each in bounds):
        pairs = dict.fromkeys(numbers, pair("feature_bounds", bounds))
    elif len(bounds) != count:
        raise refusal("feature_bounds", _PAIRS.format(count), f"{len(bounds)}")
    else:
        pairs = {j: _pair(names, j, bounds[j]) for j in numbers}
    return [Category(values[j]) if j in values else Number(*pairs[j]) for j in range(count)]


def read_label(bounds: Any, y: Floats, leaks: list[str]) -> Number:
    """Return the label's domain; bounds that are missing are taken from the labels, with a warning."""
    if bounds is not None:
        return Number(*check_interval("label_bounds", *pair("label_bounds", bounds)))
    low, high = float(y.min()), float(y.max())
    if low == high:
        got = "one sample" if len(y) == 1 else "labels that are all the same"
        raise refusal("label_bounds", "given, as (low, high), when the labels do not vary", got)
    leak(leaks, "label_bounds", "the private labels", "label_bounds=(low, high)")
    return Number(*check_interval("label_bounds", low, high))


def _pair(names: tuple[str, ...], j: int, entry: Any) -> tuple[float, float]:
    what = f"feature_bounds[{short(names[j]) if names else j}]"
    return check_interval(what, *pair(what, entry))


def _by_name(bounds: Mapping[Any, Any], names: tuple[str, ...], optional: list[int]) -> list[Any]:
    """Return the entry of each feature; those of categories may be left out."""
    if not names:
        got = f"names, {listed(bounds)}"
        raise refusal(
            "feature_bounds", "given for each feature by position where `X` has no column names", got, NO_NAMES
        )
    unknown = [name for name in bounds if name not in names]
    missing = [name for j, name in enumerate(names) if name not in bounds and j not in optional]
    if unknown or missing:
        got = f"{listed(unknown)} unknown and {listed(missing)} missing"
        raise refusal("feature_bounds", f"given for each feature {listed(names)}", got)
    return [bounds.get(name) for name in names]


def _ends_of_data(column: Floats) -> tuple[float, float]:
    seen = column[np.isfinite(column)]
    low, high = (float(seen.min()), float(seen.max())) if len(seen) else (0.0, 1.0)
    return (low - 0.5, high + 0.5) if low == high else (low, high)  # a constant feature: any box around it will do
