"""Cells and effects as data frames, with standard errors. Needs pandas, which is loaded here only."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from semildp.models import CellBody, Effect, Model
from semildp.models.class_cells import ClassCellBody
from semildp.partition.volumes import leaf_boxes
from semildp.study import Category, Study
from semildp.wire.forms import read_partition

Ends = tuple[float | None, float | None, str | None]  # of a number's place; or the value of a category


def cells_frame(model: Model) -> Any:
    """Return one row per cell, with the ends of its box along every feature that is cut, in the feature's own unit."""
    study, body = model.study, model.body
    assert isinstance(body, CellBody | ClassCellBody)
    partition = read_partition(body.partition, study.bounds)
    low, high = (np.repeat(ends, partition.n_codes, axis=0) for ends in leaf_boxes(partition.tree, len(study.features)))
    place = np.arange(partition.n_cells) % partition.n_codes
    for feature, bins in reversed(list(zip(partition.histogram_features, partition.bins, strict=True))):
        low[:, feature], high[:, feature] = place % bins / bins, (place % bins + 1) / bins
        place = place // bins
    columns: dict[str, Any] = {}
    for j in sorted({*partition.histogram_features, *(f for f in partition.tree.feature if f >= 0)}):
        start, width = study.bounds.low[j], study.bounds.high[j] - study.bounds.low[j]
        columns[f"{study.names[j]}_low"] = start + width * low[:, j]
        columns[f"{study.names[j]}_high"] = start + width * high[:, j]
    columns |= _class_columns(study, body) if isinstance(body, ClassCellBody) else _number_columns(body)
    return _pandas().DataFrame(columns, index=_pandas().RangeIndex(partition.n_cells, name="cell"))


def _number_columns(body: CellBody) -> dict[str, Any]:
    std = np.sqrt(np.asarray(body.variances, dtype=np.float64))
    return {"prediction": np.asarray(body.values), "std": std, "people": body.counts, "level": body.levels}


def _class_columns(study: Study, body: ClassCellBody) -> dict[str, Any]:
    probabilities = np.asarray(body.probabilities)
    unknown = np.full(probabilities.shape, np.nan)
    std = np.sqrt(unknown if body.variances is None else np.asarray(body.variances))
    columns: dict[str, Any] = {}
    for c, word in enumerate(study.classes):
        columns |= {f"probability_{word}": probabilities[:, c], f"std_{word}": std[:, c]}
    return {**columns, "people": np.asarray(body.counts)}


def effects_frame(study: Study, effects: Sequence[Effect]) -> Any:
    """Return one row per place of each effect; of two features together, per combination of their places."""
    names = ("feature", "low", "high", "value", "second", "second_low", "second_high", "second_value")
    rows = []
    for effect in effects:
        places: list[list[tuple[Any, ...]]] = [
            [(study.names[j], *ends) for ends in _places(study, j, cuts)]
            for j, cuts in zip(effect.features, effect.cuts, strict=True)
        ]
        places += [[(None, None, None, None)]] * (2 - len(places))
        people = np.ones(1)
        for shares in effect.shares:
            people = np.outer(people, shares).ravel()
        for (one, two), *numbers in zip(
            itertools.product(*places), effect.values, effect.deviations, people.tolist(), strict=True
        ):
            rows.append((*one, *two, *numbers))
    return _pandas().DataFrame(rows, columns=[*names, "added", "std", "share"])


def _places(study: Study, j: int, cuts: tuple[float, ...]) -> list[Ends]:
    """Return the ends of each place in the feature's own unit, or the values of a category."""
    domain = study.features[j].domain
    if isinstance(domain, Category):
        return [(None, None, value) for value in domain.values]
    ends = (domain.low + np.array([0.0, *cuts, 1.0]) * (domain.high - domain.low)).tolist()
    return [(a, b, None) for a, b in itertools.pairwise(ends)]


def _pandas() -> Any:
    if find_spec("pandas") is None:
        raise ImportError("Data frames need pandas. Install it: pip install pandas.")
    return import_module("pandas")
