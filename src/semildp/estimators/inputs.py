"""Reading what a user passes: bounds, private features, randomness. Each either fits or is refused in one sentence."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semildp._checks import finite_number, short, whole_number
from semildp.domains import FeatureBounds, check_interval
from semildp.errors import InputError, PrivacyLeakWarning, refusal
from semildp.estimators.names import NO_NAMES, Columns, is_frame, listed, match_mask, private_indices
from semildp.masks import Mask, aligned, check_mask
from semildp.sources import SeededSource, Source, SystemSource

Floats = NDArray[np.float64]

_PAIRS = "one (low, high) pair, or one for each of {} features"
_SEED_WORDS = 8  # of 32 bits, drawn from a generator that is passed as `random_state`
_SEED_KINDS = "Or None, or a RandomState, Generator or SeedSequence."
_LIBRARIES = ("semildp", "sklearn", "joblib")  # a warning points at the line that called into these


def without_values(message: str) -> str:
    """Cut the values out of the messages of scikit-learn and NumPy that show some."""
    message = re.sub(r"(?s)array=.*\.\n(?=Reshape)", "", message)
    return re.sub(r"(?s)(could not convert string to float|Complex data not supported).*", r"\1.", message)


def read_mask(mask: Any, private: Any, X: Any, n_people: int, columns: Columns) -> Mask:
    """Return the mask, from a mask or from names or indices of features private to everyone.

    `X` is as it was passed: a mask that is a frame is matched to its names and index.
    """
    if mask is not None and private is not None:
        raise InputError(
            "Pass either `mask` (each person's own choice) or `private_features` (the same for all), not both."
        )
    if mask is not None:
        return check_mask(match_mask(mask, X, columns) if is_frame(mask) else mask, n_people, columns.count)
    return aligned(n_people, columns.count, private_indices(private, columns))


def read_label_bounds(bounds: Any, y: Floats, leaks: list[str]) -> tuple[float, float]:
    """Return the label bounds; missing, they are taken from the labels, with a warning."""
    if bounds is not None:
        low, high = _pair("label_bounds", bounds)
        return check_interval("label_bounds", low, high)
    low, high = float(y.min()), float(y.max())
    if low == high:
        got = "one sample" if len(y) == 1 else "labels that are all the same"
        raise refusal("label_bounds", "given, as (low, high), when the labels do not vary", got)
    _leak(leaks, "label_bounds", "the private labels", "label_bounds=(low, high)")
    return low, high


def read_feature_bounds(bounds: Any, X: Floats, columns: Columns, leaks: list[str]) -> FeatureBounds:
    """Return the feature bounds from one pair, a pair per feature, or a mapping by name; missing, from the data."""
    names, count = columns.names, columns.count
    if bounds is None:
        _leak(
            leaks,
            "feature_bounds",
            "the data, private entries included",
            "feature_bounds=(low, high) or one pair per feature",
        )
        return _bounds_of_data(X, names)
    if isinstance(bounds, Mapping):
        bounds = _bounds_by_name(bounds, names)
    elif not _is_list(bounds):
        raise refusal("feature_bounds", _PAIRS.format(count), short(bounds))
    elif not any(_is_list(each) for each in bounds):
        bounds = [_pair("feature_bounds", bounds)] * count
    elif len(bounds) != count:
        raise refusal("feature_bounds", _PAIRS.format(count), f"{len(bounds)}")
    pairs = [_pair(f"feature_bounds[{short(names[j]) if names else j}]", pair) for j, pair in enumerate(bounds)]
    return FeatureBounds(tuple(low for low, _ in pairs), tuple(high for _, high in pairs), names)


def read_sources(random_state: Any, how_many: int) -> list[Source]:
    """Return independent sources: the operating system's if `random_state` is None, else seeded ones (simulation).

    A whole number enters as it is. A generator gives 256 bits and moves on, so that the next fit draws anew; a
    SeedSequence stays as it was.
    """
    if random_state is None:
        return [SystemSource() for _ in range(how_many)]
    return [SeededSource(child) for child in _seed_sequence(random_state).spawn(how_many)]


def _seed_sequence(random_state: Any) -> np.random.SeedSequence:
    if isinstance(random_state, np.random.SeedSequence):
        drawn = random_state.generate_state(_SEED_WORDS)
    elif isinstance(random_state, np.random.Generator):
        drawn = random_state.integers(2**32, size=_SEED_WORDS, dtype=np.uint32)
    elif isinstance(random_state, np.random.RandomState) or random_state is np.random:
        drawn = random_state.randint(2**32, size=_SEED_WORDS, dtype=np.uint32)
    else:
        return np.random.SeedSequence(whole_number("random_state", random_state, 0, 2**128, _SEED_KINDS))
    return np.random.SeedSequence([int(word) for word in drawn])


def _bounds_by_name(bounds: Mapping[Any, Any], names: Sequence[str]) -> list[Any]:
    if not names:
        got = f"names, {listed(bounds)}"
        raise refusal(
            "feature_bounds", "given for each feature by position where `X` has no column names", got, NO_NAMES
        )
    unknown = [name for name in bounds if name not in names]
    missing = [name for name in names if name not in bounds]
    if unknown or missing:
        got = f"{listed(unknown)} unknown and {listed(missing)} missing"
        raise refusal("feature_bounds", f"given for each feature {listed(names)}", got)
    return [bounds[name] for name in names]


def _pair(name: str, bounds: Any) -> tuple[float, float]:
    required = "two finite numbers, low < high"
    if not _is_list(bounds) or len(bounds) != 2:
        raise refusal(name, required, short(bounds))
    low, high = (b.item() if isinstance(b, np.generic) else b for b in bounds)
    return finite_number(name, low, required), finite_number(name, high, required)


def _is_list(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _bounds_of_data(X: Floats, names: tuple[str, ...]) -> FeatureBounds:
    seen = np.isfinite(X)
    low = np.where(seen.any(axis=0), np.where(seen, X, np.inf).min(axis=0), 0.0)
    high = np.where(seen.any(axis=0), np.where(seen, X, -np.inf).max(axis=0), 1.0)
    flat = low == high  # a constant feature: any box around it will do
    low, high = np.where(flat, low - 0.5, low), np.where(flat, high + 0.5, high)
    return FeatureBounds(tuple(low.tolist()), tuple(high.tolist()), names)


def _leak(leaks: list[str], what: str, origin: str, advice: str) -> None:
    leaks.append(what)
    message = f"`{what}` was not given and is taken from {origin}, which the guarantee does not cover. Pass {advice}."
    warnings.warn(message, PrivacyLeakWarning, stacklevel=_callers_level())


def _callers_level() -> int:
    """Return the stacklevel, for the function that calls this one, of the line outside all libraries that led here."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).split(".")[0] in _LIBRARIES:
        frame, level = frame.f_back, level + 1
    return level
