"""A first draft of a study from a table of people: what each column may hold, read off the column."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from semildp.drafting.draft import Draft, Item
from semildp.errors import InputError
from semildp.study import Category, Classes, Number
from semildp.tables import Table
from semildp.tables.coding import MISSING
from semildp.tables.csv_table import quoted

FEW_VALUES = 3  # of a private number: as a category it is learnt with less error; with five values it is not
MOST_VALUES = 50  # words of a column; more are taken for names or remarks of people. A guess, as in drafting/advice.py


@dataclass
class _Column:
    """What was seen in a column: the range of its numbers, and its words while they are few."""

    low: float = math.inf
    high: float = -math.inf
    words: set[str] = field(default_factory=set)
    only_numbers: bool = True

    def see(self, cells: Sequence[str]) -> None:
        for cell in map(str.strip, cells):
            if cell in MISSING:
                continue
            if len(self.words) <= MOST_VALUES:
                self.words.add(cell)
            number = _number(cell) if self.only_numbers else None
            if number is None:
                self.only_numbers = False
            else:
                self.low, self.high = min(self.low, number), max(self.high, number)

    def domain(self) -> Number | Category | str:
        """Return the domain, or why there is none."""
        if not self.words:
            return "it is empty"
        if self.only_numbers:
            return Number(*rounded_outwards(self.low, self.high))
        if len(self.words) == 1:
            return "it has one value only"
        if len(self.words) > MOST_VALUES:
            return f"it has more than {MOST_VALUES} different texts"
        return Category(tuple(sorted(self.words)))

    def label(self, classes: bool) -> Number | Classes | str:
        """Return the domain of a label, or why there is none."""
        domain = self.domain()
        if isinstance(domain, str):
            return f"{domain[0].upper()}{domain[1:]}."
        if isinstance(domain, Category):
            return Classes(domain.values)
        if not classes:
            return domain
        if not 2 <= len(self.words) <= MOST_VALUES:
            count = f"more than {MOST_VALUES}" if len(self.words) > MOST_VALUES else f"{len(self.words)}"
            return f"With --classes, 2 to {MOST_VALUES} different numbers are needed. Got {count}."
        return Classes(tuple(sorted(self.words, key=lambda word: (float(word), word))))


def draft_of_table(
    table: Table,
    label: str,
    epsilon: float,
    private: Collection[str] = (),
    left_out: Collection[str] = (),
    *,
    classes: bool = False,
) -> tuple[Draft, list[str]]:
    """Return a draft whose features are the table's other columns, and a sentence for each column that needs one.

    It is said which were left out, and why, and which private numbers had better be categories. Columns of numbers get
    bounds, rounded outwards; columns of a few texts get these as values. Both are read off the data, so that no
    guarantee covers them: whoever asks real people writes down instead what is known beforehand.

    Parameters
    ----------
    table
        The people.
    label
        Name of the column that is to be predicted.
    epsilon
        The most that a person spends.
    private
        Names of the columns that are private for everyone.
    left_out
        Names of columns that are no features.
    classes
        Whether the label's values are classes although they are numbers; texts always are.
    """
    _check_columns(table, [label, *private, *left_out])
    seen, people = _see(table)
    target = seen[label].label(classes)
    if isinstance(target, str):
        raise InputError(f"The label, column {label!r}, must be a number or one of a few classes. {target}")
    draft = Draft(name=f"Rehearsal with {table.name}", epsilon=epsilon, people=people)
    draft.label = Item("label", target, text=label)
    remarks = []
    for name in table.header:
        if name == label or name in left_out:
            continue
        domain = seen[name].domain()
        if isinstance(domain, str):
            remarks.append(f"{name!r} is no feature: {domain}.")
        else:
            draft.features.append(Item(name, domain, name in private, text=name))
            if name in private and isinstance(domain, Number) and 2 <= len(seen[name].words) <= FEW_VALUES:
                remarks.append(_as_category(name, seen[name].words))
    return draft, remarks


def _as_category(name: str, words: Collection[str]) -> str:
    """Say how a private number with few values is made a category."""
    values = ", ".join(f'"{word}"' for word in sorted(words, key=lambda word: (float(word), word)))
    return (
        f"{name!r} is private and has {len(words)} values only. As a category it is learnt with less error: in the "
        f'file, write domain = {{kind = "category", values = [{values}]}}.'
    )


def _see(table: Table) -> tuple[dict[str, _Column], int]:
    """Return what was seen in each column, and how many people there are."""
    seen, people = {name: _Column() for name in table.header}, 0
    for block in table.blocks():
        people += len(block)
        for name, cells in zip(table.header, zip(*block, strict=True), strict=True):
            seen[name].see(cells)
    return seen, people


def rounded_outwards(low: float, high: float) -> tuple[float, float]:
    """Return round numbers around a range: multiples of the power of ten that fits in its width.

    Examples
    --------
    >>> rounded_outwards(18, 97), rounded_outwards(0.12, 0.83), rounded_outwards(5, 5)
    ((10.0, 100.0), (0.1, 0.9), (4.0, 6.0))
    """
    if low == high:
        return low - 1.0, high + 1.0
    power = math.floor(math.log10(high - low))
    return tuple(float(f"{f(end / 10**power)}e{power}") for f, end in ((math.floor, low), (math.ceil, high)))  # type: ignore[return-value]


def _number(cell: str) -> float | None:
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _check_columns(table: Table, names: Sequence[str]) -> None:
    missing = [name for name in names if name not in table.header]
    if missing:
        raise InputError(f"{table.name} must have the columns {quoted(missing)}. Got {quoted(table.header)}.")
