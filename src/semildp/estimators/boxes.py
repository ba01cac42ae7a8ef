"""Reading a box of features: ends of a number, values of a category, None for all of a feature."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from semildp._checks import short
from semildp.errors import refusal
from semildp.estimators.inputs import is_list
from semildp.models.density_box import Side
from semildp.study import Category, Feature, Study


def read_box(study: Study, box: Any) -> tuple[Side, ...]:
    """Return the side of a box on each feature, from one entry per feature or from some by name."""
    names = study.names
    if isinstance(box, Mapping):
        unknown = [name for name in box if name not in names]
        if unknown:
            raise refusal("box", f"given for features among {short(list(names))}", short(unknown))
        entries = [box.get(name) for name in names]
    elif is_list(box) and len(box) == len(names):
        entries = list(box)
    else:
        got = f"{len(box)} entries" if is_list(box) else short(box)
        raise refusal("box", f"a mapping from names, or a list with an entry for each of {len(names)} features", got)
    return tuple(None if entry is None else _side(f, entry) for f, entry in zip(study.features, entries, strict=True))


def _side(feature: Feature, entry: Any) -> Side:
    what = f"box[{short(feature.name)}]"
    if isinstance(feature.domain, Category):
        words = [entry] if isinstance(entry, str | bool | np.bool_) else list(entry) if is_list(entry) else []
        codes = {value: code for code, value in enumerate(feature.domain.values)}
        if not words or not all(str(word) in codes for word in words):
            raise refusal(what, "one or several of the category's values, or None", short(entry))
        return tuple(sorted({codes[str(word)] for word in words}))
    if not is_list(entry) or len(entry) != 2 or not all(_is_number(end) for end in entry):
        raise refusal(what, "two numbers, low <= high, or None", short(entry))
    low, high = float(entry[0]), float(entry[1])
    if math.isnan(low) or math.isnan(high) or low > high:
        raise refusal(what, "two numbers, low <= high, or None", short(entry))
    return min(max(low, feature.domain.low), feature.domain.high), max(
        min(high, feature.domain.high), feature.domain.low
    )


def _is_number(end: Any) -> bool:
    return isinstance(end, int | float | np.integer | np.floating) and not isinstance(end, bool)
