"""Reading what a user passes: bounds, private features, randomness. Each either fits or is refused in one sentence."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from semildp._checks import finite_number, short, whole_number
from semildp.domains import FeatureBounds, check_interval
from semildp.errors import InputError, PrivacyLeakWarning, refusal
from semildp.masks import Mask, aligned, check_mask
from semildp.sources import SeededSource, Source, SystemSource

Floats = NDArray[np.float64]

_PAIRS = "one (low, high) pair, or one for each of {} features"


def read_data(estimator: Any, what: str, *data: Any, **requirements: Any) -> Any:
    """Return the data as scikit-learn checks them; what it refuses is refused without showing a value."""
    try:
        return validate_data(estimator, *data, dtype=np.float64, **requirements)
    except OverflowError:  # whole numbers beyond float64
        raise InputError(f"{what} must be numbers that fit in float64. Got larger ones.") from None
    except ValueError as problem:
        told = _without_values(str(problem))
        if told == str(problem):
            raise
        raise InputError(told) from None


def _without_values(message: str) -> str:
    """Cut the values out of the messages of scikit-learn and NumPy that show some."""
    message = re.sub(r"(?s)array=.*\.\n(?=Reshape)", "", message)
    return re.sub(r"(?s)(could not convert string to float|Complex data not supported).*", r"\1.", message)


def read_mask(mask: ArrayLike | None, private: Any, n_people: int, names: Sequence[str]) -> Mask:
    """Return the mask, from a mask or from names or indices of features private to everyone."""
    if mask is not None and private is not None:
        raise InputError(
            "Pass either `mask` (each person's own choice) or `private_features` (the same for all), not both."
        )
    if mask is not None:
        return check_mask(mask, n_people, len(names))
    return aligned(n_people, len(names), _feature_indices(private, names))


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


def read_feature_bounds(bounds: Any, X: Floats, names: Sequence[str], leaks: list[str]) -> FeatureBounds:
    """Return the feature bounds from one pair, a pair per feature, or a mapping by name; missing, from the data."""
    if bounds is None:
        _leak(
            leaks,
            "feature_bounds",
            "the data, private entries included",
            "feature_bounds=(low, high) or one pair per feature",
        )
        return _bounds_of_data(X)
    if isinstance(bounds, Mapping):
        unknown = [name for name in bounds if name not in names]
        missing = [name for name in names if name not in bounds]
        if unknown or missing:
            raise refusal("feature_bounds", f"given for each feature {list(names)}", f"{list(bounds)}")
        bounds = [bounds[name] for name in names]
    elif not _is_list(bounds):
        raise refusal("feature_bounds", _PAIRS.format(len(names)), short(bounds))
    elif not any(_is_list(each) for each in bounds):
        bounds = [_pair("feature_bounds", bounds)] * len(names)
    elif len(bounds) != len(names):
        raise refusal("feature_bounds", _PAIRS.format(len(names)), f"{len(bounds)}")
    pairs = [_pair(f"feature_bounds[{j}]", pair) for j, pair in enumerate(bounds)]
    return FeatureBounds(tuple(low for low, _ in pairs), tuple(high for _, high in pairs))


def read_sources(random_state: Any, how_many: int) -> list[Source]:
    """Return independent sources: the operating system's if `random_state` is None, else seeded ones (simulation)."""
    if random_state is None:
        return [SystemSource() for _ in range(how_many)]
    if not isinstance(random_state, np.random.RandomState) and random_state is not np.random:
        whole_number("random_state", random_state, 0, 2**32 - 1, "Or None, or a RandomState.")
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    return [SeededSource(child) for child in np.random.SeedSequence(seed).spawn(how_many)]


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


def _bounds_of_data(X: Floats) -> FeatureBounds:
    seen = np.isfinite(X)
    low = np.where(seen.any(axis=0), np.where(seen, X, np.inf).min(axis=0), 0.0)
    high = np.where(seen.any(axis=0), np.where(seen, X, -np.inf).max(axis=0), 1.0)
    flat = low == high  # a constant feature: any box around it will do
    return FeatureBounds(
        tuple(np.where(flat, low - 0.5, low).tolist()), tuple(np.where(flat, high + 0.5, high).tolist())
    )


def _feature_indices(private: Any, names: Sequence[str]) -> list[int]:
    if private is None:
        return []
    if isinstance(private, str | int | np.integer):
        private = [private]
    if not isinstance(private, Iterable) or (isinstance(private, np.ndarray) and private.ndim == 0):
        raise refusal("private_features", f"feature names, or indices from 0 to {len(names) - 1}", short(private))
    indices = []
    for feature in private:
        if isinstance(feature, str):
            if feature not in names:
                raise refusal("private_features", f"among the features {list(names)}", short(feature))
            indices.append(list(names).index(feature))
        elif isinstance(feature, int | np.integer) and not isinstance(feature, bool) and 0 <= feature < len(names):
            indices.append(int(feature))
        else:
            raise refusal("private_features", f"feature names, or indices from 0 to {len(names) - 1}", repr(feature))
    return indices


def _leak(leaks: list[str], what: str, origin: str, advice: str) -> None:
    leaks.append(what)
    message = f"`{what}` was not given and is taken from {origin}, which the guarantee does not cover. Pass {advice}."
    warnings.warn(message, PrivacyLeakWarning, stacklevel=5)
