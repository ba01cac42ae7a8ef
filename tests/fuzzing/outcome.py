"""What may come of a bad value: a sentence from a place that checks, or a result without NaN. Nothing else."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sklearn

import semildp
from semildp import InputError

OURS, SKLEARN = (str(Path(package.__file__).parent) for package in (semildp, sklearn))


def attempt(call: Callable[[], Any], *, nan_is_fine: bool = False) -> Any:
    """Call, and fail unless what comes of it is documented. Warnings are errors throughout the suite."""
    try:
        result = call()
    except InputError as refused:
        sentence = str(refused)
        assert sentence.endswith((".", "?")), f"not a sentence: {sentence!r}"
        assert len(sentence) < 1000, "a refusal that quotes everything"
        return None
    except (TypeError, ValueError) as refused:
        frames = traceback.extract_tb(refused.__traceback__)
        where = frames[-1]
        raised = "raise" in (where.line or "") and where.filename.startswith(OURS)
        checked = any(frame.filename.startswith(SKLEARN) for frame in frames)  # its validation converts arrays itself
        if raised or checked:
            return None
        raise AssertionError(f"not refused but failed at {where.filename}:{where.lineno}: {refused!r}") from None
    if not nan_is_fine:
        assert not _has_nan(result), f"a silent NaN in {result!r}"
    return result


def _has_nan(result: Any, depth: int = 0) -> bool:
    if depth > 3:
        return False
    if isinstance(result, float | np.floating):
        return bool(np.isnan(result))
    if isinstance(result, np.ndarray):
        return bool(result.dtype.kind == "f" and np.isnan(result).any())
    if isinstance(result, list | tuple):
        return any(_has_nan(part, depth + 1) for part in result)
    if is_dataclass(result) and not isinstance(result, type):
        return any(_has_nan(getattr(result, field.name), depth + 1) for field in fields(result))
    return False
