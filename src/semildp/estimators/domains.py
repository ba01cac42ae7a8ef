"""Reading public domains: bounds of numbers and values of categories; what is not given is read from the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from semildp._arrays import Bools, Floats
from semildp._checks import short
from semildp.domains import check_interval
from semildp.errors import InputError, refusal
from semildp.estimators.categories import BOOLEAN, Values, category_columns, is_boolean, values_in
from semildp.estimators.inputs import is_list, leak, pair
from semildp.estimators.names import NO_NAMES, Columns, labels_of, listed
from semildp.study import Category, Classes, Feature, Number, is_name

_PAIRS = "one (low, high) pair, or for each of {} features a pair or a list of a category's values"
_DATA = "the data, private entries included"


@dataclass(frozen=True, eq=False)
class Parsed:
    """What was passed to `fit`, as a study takes it.

    Parameters
    ----------
    rows, labels, mask
        Features as numbers (a category as its code), labels, and who hides what.
    features, label
        The public domains.
    leaks
        What of these was taken from the data.
    """

    rows: Floats
    labels: Floats
    mask: Bools
    features: tuple[Feature, ...]
    label: Number | Classes
    leaks: tuple[str, ...]


def read_categories(bounds: Any, X: Any, leaks: list[str]) -> dict[int, Values]:
    """Return the values of each column that holds a category: as given, or from the data with a warning.

    A column for which a (low, high) pair is given is taken as a number, whatever its type.
    """
    values: dict[int, Values] = {}
    for j in category_columns(X):
        names = labels_of(X)
        entry, what = _entry(bounds, names, j), f"feature_bounds[{short(names[j])}]"
        if _is_pair(entry):
            continue
        if is_list(entry):
            values[j] = tuple(str(value) for value in entry)
        elif is_boolean(X, j):
            values[j] = BOOLEAN
        else:
            values[j] = values_in(X, j)
        try:
            Category(values[j])
        except InputError as problem:
            why = problem if is_list(entry) else f"Not all of the {len(values[j])} in the data can be used as such."
            raise InputError(f"`{what}` must be a list of a category's values. {why}") from None  # shows none of them
        if not is_list(entry) and not is_boolean(X, j):
            leak(leaks, f"values of {names[j]}", _DATA, f"feature_bounds={{{short(names[j])}: [...], ...}}")
    return values


def read_domains(
    bounds: Any, X: Floats, columns: Columns, values: Mapping[int, Values], leaks: list[str]
) -> list[Number | Category]:
    """Return the domain of each feature, from one pair for all, an entry per feature or by name; else from the data."""
    numbers = [j for j in range(columns.count) if j not in values]
    entries: dict[int, tuple[float, float]] = {}
    if bounds is None:
        if numbers:
            leak(leaks, "feature_bounds", _DATA, "feature_bounds=(low, high) or one pair per feature")
        entries = {j: _ends_of_data(X[:, j]) for j in numbers}
    elif isinstance(bounds, Mapping):
        _check_names(bounds, columns.names, set(values))
        entries = {j: _pair(columns, j, bounds[columns.names[j]]) for j in numbers}
    elif not is_list(bounds):
        raise refusal("feature_bounds", _PAIRS.format(columns.count), short(bounds))
    elif not any(is_list(each) for each in bounds):
        entries = dict.fromkeys(numbers, check_interval("feature_bounds", *pair("feature_bounds", bounds)))
    elif len(bounds) != columns.count:
        raise refusal("feature_bounds", _PAIRS.format(columns.count), f"{len(bounds)}")
    else:
        entries = {j: _pair(columns, j, bounds[j]) for j in numbers}
    return [Category(values[j]) if j in values else Number(*entries[j]) for j in range(columns.count)]


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


def name_features(columns: Columns, domains: list[Number | Category], forced: Bools) -> tuple[Feature, ...]:
    """Return the features as the study names them: by their columns if all of these can be written down, else x0, x1.

    Parameters
    ----------
    columns, domains
        What was passed, and the domain of each.
    forced
        Whether everyone keeps it private.
    """
    usable = bool(columns.names) and all(is_name(name) for name in columns.names)
    names = columns.names if usable else tuple(f"x{j}" for j in range(columns.count))
    return tuple(Feature(names[j], domain, bool(forced[j])) for j, domain in enumerate(domains))


def _entry(bounds: Any, names: tuple[Any, ...], j: int) -> Any:
    """Return what was given for one column of a frame, if anything was."""
    if isinstance(bounds, Mapping):
        return bounds.get(names[j])
    each = is_list(bounds) and len(bounds) == len(names) and any(is_list(entry) for entry in bounds)
    return bounds[j] if each else None


def _is_pair(entry: Any) -> bool:
    """Whether this is two numbers, and so the bounds of a number."""
    numbers = (int, float, np.integer, np.floating)
    return is_list(entry) and len(entry) == 2 and all(isinstance(e, numbers) and not isinstance(e, bool) for e in entry)


def _pair(columns: Columns, j: int, entry: Any) -> tuple[float, float]:
    what = f"feature_bounds[{short(columns.names[j]) if columns.names else j}]"
    if is_list(entry) and len(entry) > 0 and (len(entry) > 2 or all(isinstance(word, str) for word in entry)):
        advice = "Values are listed for columns of text, categories or truth values: X.astype({...: 'category'})."
        raise refusal(what, "two finite numbers, low < high, for a column of numbers", short(entry), advice)
    return check_interval(what, *pair(what, entry))


def _check_names(bounds: Mapping[Any, Any], names: tuple[str, ...], optional: set[int]) -> None:
    """Refuse a mapping that does not name each feature; categories may be left out."""
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


def _ends_of_data(column: Floats) -> tuple[float, float]:
    seen = column[np.isfinite(column)]
    low, high = (float(seen.min()), float(seen.max())) if len(seen) else (0.0, 1.0)
    return (low - 0.5, high + 0.5) if low == high else (low, high)  # a constant feature: any box around it will do
