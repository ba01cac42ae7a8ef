"""Reading what a user passes: bounds, private features, randomness. Each either fits or is refused in one sentence."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from semildp._checks import finite_number, short, whole_number
from semildp.errors import InputError, PrivacyLeakWarning, refusal
from semildp.estimators.names import Columns, is_frame, match_mask, private_indices
from semildp.masks import Mask, aligned, check_mask, repeated
from semildp.sources import SeededSource, Source, SystemSource

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
    return repeated(aligned(1, columns.count, private_indices(private, columns))[0], n_people)


def read_sources(random_state: Any, how_many: int) -> list[Source]:
    """Return independent sources: the operating system's if `random_state` is None, else seeded ones (simulation).

    A whole number enters as it is. A generator gives 256 bits and moves on, so that the next fit draws anew; a
    SeedSequence stays as it was.
    """
    if random_state is None:
        return [SystemSource() for _ in range(how_many)]
    return [SeededSource(child) for child in _seed_sequence(random_state).spawn(how_many)]


def read_generator(random_state: Any) -> np.random.Generator:
    """Return a generator for draws that protect nobody; seeded as by `read_sources` unless `random_state` is None."""
    return np.random.default_rng(None if random_state is None else _seed_sequence(random_state))


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


def pair(name: str, bounds: Any) -> tuple[float, float]:
    """Return (low, high) as two finite numbers, or refuse it."""
    required = "two finite numbers, low < high"
    if not is_list(bounds) or len(bounds) != 2:
        raise refusal(name, required, short(bounds))
    low, high = (b.item() if isinstance(b, np.generic) else b for b in bounds)
    return finite_number(name, low, required), finite_number(name, high, required)


def is_list(value: Any) -> bool:
    """Whether this is a list, tuple or array."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def leak(leaks: list[str], what: str, origin: str, advice: str) -> None:
    """Warn that something public was read from data, and note it for the account."""
    leaks.append(what)
    message = f"`{what}` was not given and is taken from {origin}, which the guarantee does not cover. Pass {advice}."
    warnings.warn(message, PrivacyLeakWarning, stacklevel=callers_level())


def callers_level() -> int:
    """Return the stacklevel, for the function that calls this one, of the line outside all libraries that led here."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).split(".")[0] in _LIBRARIES:
        frame, level = frame.f_back, level + 1
    return level


def check_coverage(coverage: object) -> float:
    """Return the share of intervals that are to hold what they are for, or refuse it."""
    number = finite_number("coverage", coverage)
    if not 0 < number < 1:
        raise refusal("coverage", "a number between 0 and 1", repr(coverage))
    return number
