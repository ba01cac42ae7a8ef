"""Cells of a table as numbers: columns matched to a study's features by name, cells to their domains."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from semildp._arrays import Floats
from semildp._checks import short
from semildp.errors import InputError
from semildp.study import Category, Classes, Number, Study
from semildp.tables.csv_table import Table, quoted

MISSING = ("", "NA", "NaN", "nan", "null", "None")  # how programs write an empty cell


@dataclass
class Remarks:
    """What was unusual in a table, to be told once instead of row by row."""

    no_column: list[str] = field(default_factory=list)
    missing: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    outside: Counter[str] = field(default_factory=Counter)

    def sentences(self) -> list[str]:
        """Return one sentence for each kind of thing."""
        told = []
        if self.no_column:
            told.append(f"No column is called {quoted(self.no_column)}: missing for everyone.")
        kinds = (
            (self.missing, "missing"),
            (self.unknown, "not among the study's values: taken as missing"),
            (self.outside, "outside the study's bounds: taken as on the bound"),
        )
        for counts, what in kinds:
            told += [f"{name!r}: {count:,} {_cells(count)} {what}." for name, count in counts.items()]
        return told


class Coder:
    """Turns rows of a table into rows of numbers in a study's order, as models take them.

    A category's value becomes its place in the list; what is missing or unknown becomes NaN.
    """

    def __init__(self, study: Study, table: Table) -> None:
        self.study, self._table, self.remarks, self._before = study, table, Remarks(), 0
        self._places = [table.header.index(name) if name in table.header else None for name in study.names]
        self.remarks.no_column = [n for n, p in zip(study.names, self._places, strict=True) if p is None]
        if len(self.remarks.no_column) == len(study.names):
            raise InputError(
                f"{table.name} must have columns named as the study's features, {quoted(study.names)}. "
                f"Got {quoted(table.header)}."
            )

    def rows(self, block: Sequence[Sequence[str]]) -> Floats:
        """Return numbers, one row per row of the block."""
        coded = np.full((len(block), len(self._places)), np.nan)
        for j, (feature, place) in enumerate(zip(self.study.features, self._places, strict=True)):
            if place is not None:
                coded[:, j] = self.column(feature.name, feature.domain, [row[place] for row in block])
        self._before += len(block)
        return coded

    def column(self, name: str, domain: Number | Category | Classes, cells: Sequence[str]) -> list[float]:
        """Return one column as numbers."""
        if not isinstance(domain, Number):
            codes = {value: float(code) for code, value in enumerate(domain.values)}
            return [self._category(name, codes, cell) for cell in cells]
        return [self._number(name, domain, cell, row) for row, cell in enumerate(cells, self._before + 1)]

    def _category(self, name: str, codes: dict[str, float], cell: str) -> float:
        code = codes.get(cell)
        if code is None:
            code = codes.get(cell.strip(), math.nan)
            if math.isnan(code):
                (self.remarks.missing if cell.strip() in MISSING else self.remarks.unknown)[name] += 1
        return code

    def _number(self, name: str, domain: Number, cell: str, row: int) -> float:
        text = cell.strip()
        if text in MISSING:
            self.remarks.missing[name] += 1
            return math.nan
        try:
            number = float(text)
        except ValueError:
            advice = "Write decimals with a point." if "," in text else "Leave the cell empty if it is missing."
            where = f"{self._table.name}, row {row} of people"
            raise InputError(f"{where}: {name!r} must be a number. Got {short(cell)}. {advice}") from None
        if math.isnan(number):
            self.remarks.missing[name] += 1
        elif not domain.low <= number <= domain.high:
            self.remarks.outside[name] += 1
        return number


def _cells(count: int) -> str:
    return "cell is" if count == 1 else "cells are"
