"""Who hides what: one row per person, one column per feature, True where the person keeps the feature private."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semildp._arrays import Bools, Floats
from semildp._checks import finite_number, short, whole_number
from semildp.errors import refusal

Mask = Bools

MOST_ENTRIES = 2**30  # people x features of a mask that is built here
_BLOCK = 1 << 14  # rows of a mask looked at together
_BINARY = "made of 0 (public) and 1 (private) only"
_MISSING = {"NoneType", "NAType", "NaTType"}  # how pandas and polars say that a value is not known


def check_mask(mask: ArrayLike, n_people: int, n_features: int) -> Mask:
    """Return `mask` as a boolean array of one row per person, or refuse it."""
    n_people, n_features = _check_size(n_people, n_features)
    try:
        array = np.asarray(mask)
    except (ValueError, TypeError):  # rows of different lengths
        array = np.zeros(0)
    if array.shape != (n_people, n_features):
        raise refusal(
            "mask",
            f"of shape (people, features) = {(n_people, n_features)}",
            f"shape {array.shape}",
            "Give one row per row of X and one column per feature, 1 where the feature is private.",
        )
    if np.ma.is_masked(mask):
        raise refusal("mask", _BINARY, "missing values")
    if array.dtype == np.bool_:
        return array
    if array.dtype == object:
        array = _numbers(array)
    if array.dtype.kind not in "iuf" or not np.isin(array, (0, 1)).all():
        missing = array.dtype.kind == "f" and bool(np.isnan(array).any())
        raise refusal("mask", _BINARY, "missing values" if missing else "other values")
    return array.astype(np.bool_)


def aligned(n_people: int, n_features: int, private: Sequence[int] | NDArray[Any]) -> Mask:
    """Everyone hides the same features, given by index."""
    n_people, n_features = _check_size(n_people, n_features)
    listed = isinstance(private, Sequence) and not isinstance(private, str | bytes)
    if not listed and not (isinstance(private, np.ndarray) and private.ndim == 1):
        raise refusal("private", "a list of feature indices", short(private))
    row = np.zeros(n_features, dtype=np.bool_)
    for feature in private:
        row[whole_number("private", feature, 0, n_features - 1)] = True
    return np.broadcast_to(row, (n_people, n_features)).copy()


def repeated(row: Bools, n_people: int) -> Mask:
    """Return a mask in which everyone has this row, held once: it cannot be written to."""
    return np.broadcast_to(row, (n_people, len(row)))


def distinct_rows(mask: Mask) -> Mask:
    """Return the first row alone where all are the same one held once, else all of them."""
    return mask[:1] if mask.strides[0] == 0 else mask


def most_hidden(mask: Mask) -> int:
    """Return how many features those hide who hide most; 0 if there is nobody."""
    rows = distinct_rows(mask)
    return max((int(row_sums(rows[s]).max(initial=0)) for s in _blocks(len(rows))), default=0)


def row_sums(mask: Mask) -> NDArray[Any]:
    """Return how many features each person hides: column by column, in small numbers."""
    n, d = mask.shape
    total: NDArray[Any] = np.zeros(n, dtype=np.uint8 if d < 256 else np.uint32)
    for column in mask.view(np.uint8).T:
        total += column
    return total


def times_hidden(mask: Mask) -> NDArray[np.int64]:
    """Return how many people hide each feature."""
    rows = distinct_rows(mask)
    counts = np.zeros(mask.shape[1], dtype=np.int64)
    for s in _blocks(len(rows)):
        counts += [np.count_nonzero(column) for column in rows[s].T]
    return counts * len(mask) if len(rows) < len(mask) else counts


def _blocks(n: int) -> list[slice]:
    """Slices of rows that stay in cache."""
    return [slice(start, start + _BLOCK) for start in range(0, n, _BLOCK)]


def first(n_people: int, n_features: int, n_private: int) -> Mask:
    """Everyone hides the first `n_private` features (the paper's aligned case)."""
    n_people, n_features = _check_size(n_people, n_features)
    return aligned(n_people, n_features, range(whole_number("n_private", n_private, 0, n_features)))


def heavy_tail(n_people: int, n_features: int, gamma: float) -> Mask:
    """Person i hides feature l iff i <= n / l**gamma, both counted from 1 (the paper's W_gamma, Section 4.1)."""
    n_people, n_features = _check_size(n_people, n_features)
    required = "a finite number, 0 or more"
    power = finite_number("gamma", gamma, required)
    if power < 0:
        raise refusal("gamma", required, repr(gamma))
    with np.errstate(over="ignore"):  # nobody hides a feature whose divisor is infinite
        return _nested(n_people, np.arange(1, n_features + 1) ** power)


def staircase(n_people: int, n_features: int, step: int | None = None) -> Mask:
    """Person i hides feature l iff i <= n / 10**floor(l / step), both counted from 1 (the paper's Section 4.2)."""
    n_people, n_features = _check_size(n_people, n_features)
    width = default_private_count(n_features) if step is None else whole_number("step", step, 1, n_features)
    with np.errstate(over="ignore"):
        return _nested(n_people, 10.0 ** (np.arange(1, n_features + 1) // width))


def default_private_count(n_features: int) -> int:
    """The paper's s* for real data, ceil(ln(sqrt(d))) (Section 4.2); at least 1."""
    whole_number("n_features", n_features, 1, MOST_ENTRIES)
    return max(1, math.ceil(math.log(math.sqrt(n_features))))


def is_aligned(mask: Mask) -> bool:
    """Whether every person hides the same features."""
    rows = distinct_rows(mask)
    return all(bool((rows[s] == rows[0]).all()) for s in _blocks(len(rows)))


def ranked_features(mask: Mask) -> NDArray[np.intp]:
    """Feature indices from most to least protected, ties by index (Section 2.3)."""
    return most_hidden_first(times_hidden(mask))


def most_hidden_first(times: NDArray[np.int64]) -> NDArray[np.intp]:
    """Feature indices from most to least often hidden, ties by index."""
    return np.argsort(-times, kind="stable")


def _numbers(mask: NDArray[Any]) -> Floats:
    """Return a mask of Python objects as numbers: True and False, of which a frame may be made, count as 1 and 0."""
    kinds = {type(entry) for entry in mask.flat}
    if any(kind.__name__ in _MISSING for kind in kinds):
        raise refusal("mask", _BINARY, "missing values", "Say for each person and feature whether it is private.")
    if not all(issubclass(kind, Real | np.bool_) for kind in kinds):
        raise refusal("mask", _BINARY, "other values")
    try:
        return mask.astype(np.float64)
    except OverflowError:  # a whole number beyond float64
        raise refusal("mask", _BINARY, "other values") from None


def _check_size(n_people: int, n_features: int) -> tuple[int, int]:
    columns = whole_number("n_features", n_features, 1, MOST_ENTRIES)
    return whole_number("n_people", n_people, 0, MOST_ENTRIES // columns), columns


def _nested(n_people: int, divisor: NDArray[Any]) -> Mask:
    person = np.arange(1, n_people + 1)[:, None]
    return np.asarray(person <= n_people / divisor)
