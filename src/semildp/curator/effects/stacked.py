"""What reports to many questions say of a family at once, of questions whose people all have the same expectations."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.curator.effects.explained import Explained
from semildp.curator.effects.functions import Family, Functions
from semildp.curator.effects.reading import Reading
from semildp.curator.effects.weighing import Fixed, Weighed, gram_of_two, weigh

Outer = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Stack:
    """The sums of some questions one below the other: a row is a cell, or the one sum of a question with signs.

    Parameters
    ----------
    questions
        Their numbers.
    away
        What each function of a feature is in a row, less its mean: function x row. With signs, what it adds to the sum.
    weight
        What each row counts.
    share
        Expected share of people in each row, times what is kept of residuals.
    """

    questions: tuple[int, ...]
    away: Floats
    weight: Floats
    share: Floats

    @classmethod
    def of(cls, values: Floats, explained: Explained, questions: tuple[int, ...], first: int) -> Stack:
        """Stack questions whose cells tell of a feature, of which `values` are the functions."""
        each = [_rows(values, explained.asked[k], first) for k in questions]
        away, weight, share = (np.concatenate(parts, axis=-1) for parts in zip(*each, strict=True))
        return cls(questions, away, weight, share)


def _rows(values: Floats, reading: Reading, first: int) -> tuple[Floats, Floats, Floats]:
    """Return one question's `away`, `weight` and `share`."""
    reports = reading.reports
    mean = values @ reading.within_bins(first).T @ reading.expected[first][:1][0]
    away, share = values @ reading.within[first].T - mean[:, None], reports.kept * reading.chances[0]
    if reports.signs is None:
        return away, reading.weight, share
    return (away @ (reports.signs * share))[:, None], len(reports) / reports.cell_noise, np.ones(1)


@dataclass(eq=False)
class Weighing:
    """Reports to all questions, weighed for one family after the other; what stays as effects are found is kept."""

    functions: Functions
    explained: Explained
    _stacks: dict[tuple[int, tuple[int, ...]], Stack] = field(default_factory=dict)
    _people: dict[tuple[tuple[int, ...], Outer], Ints] = field(default_factory=dict)
    _fixed: dict[Family, Fixed] = field(default_factory=dict)
    _alone: dict[tuple[int, Family], Fixed] = field(default_factory=dict)

    def weigh(self, questions: Iterable[int], family: Family, *, curves: bool = True) -> Weighed:
        """Return the sum of what the reports to these questions say of every function of a family: see `weigh`.

        Without curves it takes less time.
        """
        functions = self.functions if curves else replace(self.functions, falls={})
        together, alone = list[int](), list[int]()
        for k in questions:
            (together if _alike(self.explained.asked[k], family) else alone).append(k)
        found = [weigh(functions, self.explained, k, family, self._alone) for k in alone]
        if together:
            found.append(self._stacked(tuple(together), family, functions.terms(family)))
        return reduce(add, found)

    def _stacked(self, questions: tuple[int, ...], family: Family, terms: tuple[slice, ...]) -> Weighed:
        """Weigh questions one below the other; S being what is left of their sums, by row and place.

        num = (weight * away) S g' for functions g of the second feature, and of den and the products of terms likewise,
        with the people expected in a row and at a place for S.
        """
        functions, explained, outer = self.functions, self.explained, family[1:]
        values = functions.values[family[0]]
        if (family[0], questions) not in self._stacks:
            self._stacks[family[0], questions] = Stack.of(values, explained, questions, family[0])
        stack = self._stacks[family[0], questions]
        second = functions.values[outer[0]] if outer else np.ones((1, 1))
        shape = (len(values), len(second)) if outer else (len(values),)
        along = stack.away * stack.weight

        def added_up(sums: list[Floats]) -> Floats:
            return (along @ (np.concatenate(sums) @ second.T)).reshape(shape)

        if family not in self._fixed:
            den = (stack.away**2 @ (self._expected(stack, outer) @ (second**2).T)).reshape(shape)
            self._fixed[family] = Fixed(den)
        fixed = self._fixed[family]
        if terms and fixed.gram is None:
            gram = self._gram(stack.away[terms[0]], self._expected(stack, outer), family)
            self._fixed[family] = fixed = replace(fixed, gram=gram)
        left = [explained.left(k, outer) for k in questions]
        each = [added_up(sums) for sums in self._others(questions, outer, left)]
        shared = np.stack(each, axis=-1) if each else 0.0
        n_people = sum(len(explained.asked[k].reports) for k in questions)
        return Weighed(added_up(left), fixed.den, 0.0, n_people, shared, fixed.gram if terms else None, terms)

    def _others(self, questions: tuple[int, ...], outer: Outer, left: list[Floats]) -> Iterator[list[Floats]]:
        """Yield for each effect what it explains of each question's sums: nothing if features do not go together."""
        told = [bool(self.explained.asked[k].joint) or not outer for k in questions]
        if any(told):
            parts = [self.explained.parts(k, outer) if t else [] for k, t in zip(questions, told, strict=True)]
            for each in itertools.zip_longest(*parts):
                yield [np.zeros_like(x) if p is None else p for p, x in zip(each, left, strict=True)]

    def _expected(self, stack: Stack, outer: Outer) -> Floats:
        """Return how many people are expected in each row at each place, times what the row counts."""
        if (stack.questions, outer) not in self._people:
            readings = [self.explained.asked[k] for k in stack.questions]
            rows = [len(r.cells) if r.reports.signs is None else 1 for r in readings]
            self._people[stack.questions, outer] = np.repeat(
                [r.counts.people_at(outer) for r in readings], rows, axis=0
            )
        return np.asarray((stack.share * stack.weight)[:, None] * self._people[stack.questions, outer])

    def _gram(self, away: Floats, people: Floats, family: Family) -> Floats:
        """Return the products of terms with each other: `away` are those of the first feature, by row."""
        if len(family) == 1:
            return np.asarray((away * people[:, 0]) @ away.T)
        crossed = (away[:, None] * away[None]).reshape(-1, away.shape[1]) @ people
        second = self.functions.values[family[1]][self.functions.terms(family)[1]]
        return gram_of_two(crossed.reshape(len(away), len(away), -1), second)


def _alike(reading: Reading, family: Family) -> bool:
    """Say whether all people have the same expectations, and cells tell of the first feature of a family alone."""
    return not reading.personal and reading.in_cells(family[0]) and not any(map(reading.in_cells, family[1:]))
