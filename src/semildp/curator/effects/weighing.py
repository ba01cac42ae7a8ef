"""What reports to one question say of every function of a family: num and den of its coefficient."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from semildp._arrays import Floats
from semildp.curator.effects.explained import Explained, Others
from semildp.curator.effects.functions import Family, Functions
from semildp.curator.effects.regressors import Regressor, regressor_of
from semildp.curator.effects.two_asked import regressor_of_two


@dataclass(frozen=True, eq=False)
class Weighed:
    """What reports say of every function h of a family: num = den * a + noise of variance den, a being h's coefficient.

    `centre` is the mean of h over the people, which is taken off; `people` how many told; `shared` holds the products
    of h with every effect found so far (last axis), weighed as in `den`. `gram` holds the products of `terms` with each
    other, likewise: their diagonal is that part of `den`.
    """

    num: Floats
    den: Floats
    centre: Floats | float
    people: int
    shared: Floats | float = 0.0
    gram: Floats | None = None
    terms: tuple[slice, ...] = ()

    def __add__(self, other: Weighed) -> Weighed:
        people = self.people + other.people
        centre = (self.people * self.centre + other.people * other.centre) / max(people, 1)
        return Weighed(
            self.num + other.num,
            self.den + other.den,
            centre,
            people,
            self.shared + other.shared,
            None if self.gram is None or other.gram is None else self.gram + other.gram,
            self.terms,
        )

    def beside(self, others: Others) -> Weighed:
        """Leave what other effects cannot explain; their sizes are unknown, with the variances that `others` tell."""
        if np.ndim(self.shared) == 0 or not len(others.num):
            return self
        shared = np.asarray(self.shared)[..., others.kept]
        solved = shared @ np.linalg.inv(others.gram)
        den, gram = self.den - (solved * shared).sum(axis=-1), self.gram
        if gram is not None:
            mine, its = (each[self.terms].reshape(-1, each.shape[-1]) for each in (solved, shared))
            gram = gram - mine @ its.T
        return replace(self, num=self.num - solved @ others.num, den=np.maximum(den, 1e-3 * self.den), gram=gram)

    def of_terms(self) -> tuple[Floats, Floats, Floats]:
        """Return num, gram and centre of the terms of curves."""
        num = self.num[self.terms].ravel()
        return num, np.asarray(self.gram), np.broadcast_to(self.centre, self.num.shape)[self.terms].ravel()


@dataclass(frozen=True, eq=False)
class Fixed:
    """What stays the same as effects are found: den and D.

    Of two features asked about together there are factors by sum and functions (`regressor`), and the mean of h; of
    others it is by function, cell and place (`by_place`).
    """

    den: Floats
    regressor: Floats | None = None
    centre: Floats | float = 0.0
    by_place: Regressor | None = None
    gram: Floats | None = None


def weigh(
    functions: Functions,
    explained: Explained,
    k: int,
    family: Family,
    kept: dict[tuple[int, Family], Fixed] | None = None,
) -> Weighed:
    """Weigh the reports to the k-th question for every function of a family.

    Person i, expected in cell c with probability p, adds r to its sum, which has mean k p e a if h has the coefficient
    a: e is what h is there beyond its expectation, given what is public of them, and k is kept of residuals. With v the
    noise of r, num is the sum over people and cells of k p e (r - what effects found so far explain) / v, and den that
    of (k p e)^2 / v. Where residuals were turned round, all cells are in one sum S with mean a D and variance V, at
    each place: num = sum of D S / V, den = sum of D^2 / V. What stays the same as effects are found is put into `kept`.
    """
    reading, values, terms = explained.asked[k], functions.values, functions.terms(family)
    reports, kept = reading.reports, {} if kept is None else kept
    if len(family) == 2 and reading.asked(family):
        return _weigh_two(functions, explained, k, family, kept)
    outer = tuple(j for j in family if not reading.in_cells(j))
    second = values[family[1]] if len(family) == 2 else None

    def added_up(by_place: Floats, factor: Floats | None) -> Floats:
        """Add up, over places, numbers times a factor of the second feature's place."""
        if factor is None:
            return np.asarray(by_place.sum(axis=1))
        if len(outer) == 2:
            by_place = by_place.reshape(len(by_place), -1, factor.shape[1]).sum(axis=1)
        return np.asarray(by_place @ factor.T)

    if (k, family) not in kept:
        regressor = regressor_of(values[family[0]], reading, family[0], outer)
        den = added_up(regressor.den(), None if second is None else second**2)
        kept[k, family] = Fixed(den, by_place=regressor)
    fixed = kept[k, family]
    by_place = fixed.by_place
    assert by_place is not None
    if terms and fixed.gram is None:
        gram = by_place.gram(terms[0])
        gram = np.asarray(gram.sum(axis=2)) if second is None else gram_of_two(gram, second[terms[1]])
        kept[k, family] = fixed = replace(fixed, gram=gram)
    shared: Floats | float = 0.0
    if reading.personal or reading.joint or not outer:  # else features do not go together
        nothing = np.zeros(fixed.den.shape)
        others = [
            nothing if part is None else added_up(by_place.num(part), second) for part in explained.parts(k, outer)
        ]
        shared = np.moveaxis(np.array(others).reshape(len(others), *fixed.den.shape), 0, -1)
    num = added_up(by_place.num(explained.left(k, outer)), second)
    return Weighed(num, fixed.den, 0.0, len(reports), shared, fixed.gram if terms else None, terms)


def gram_of_two(by_place: Floats, second: Floats) -> Floats:
    """Multiply products of terms (term x term x place) with those of a second feature's terms, added up over places."""
    a, b = len(by_place), len(second)
    by_place = by_place.reshape(a * a, -1, second.shape[1]).sum(axis=1)
    crossed = (second[:, None] * second[None]).reshape(b * b, -1)
    found = (by_place @ crossed.T).reshape(a, a, b, b)
    return np.asarray(found.swapaxes(1, 2).reshape(a * b, a * b))


def _weigh_two(
    functions: Functions, explained: Explained, k: int, family: Family, kept: dict[tuple[int, Family], Fixed]
) -> Weighed:
    """Two features that were asked about together."""
    reading, (one, two) = explained.asked[k], family
    reports = reading.reports
    if reports.features != family:
        flipped = _weigh_two(functions, explained, k, (two, one), kept)
        shared = np.swapaxes(flipped.shared, 0, 1)
        gram, terms = flipped.gram, flipped.terms[::-1]
        if gram is not None:
            a, b = (rows.stop - rows.start for rows in terms)
            gram = gram.reshape(b, a, b, a).transpose(1, 0, 3, 2).reshape(a * b, a * b)
        centre = np.asarray(flipped.centre).T
        return Weighed(flipped.num.T, flipped.den.T, centre, flipped.people, shared, gram, terms)
    terms = functions.terms(family)
    if (k, family) not in kept:
        both = regressor_of_two(functions.values[one], functions.values[two], reading, terms)
        kept[k, family] = Fixed(both.den, both.by_sum, both.centre, gram=both.gram)
    fixed = kept[k, family]
    assert fixed.regressor is not None
    parts = [np.zeros(fixed.regressor.shape[0]) if p is None else p[:, 0] for p in explained.parts(k, ())]
    found = np.tensordot(np.array([explained.left(k, ())[:, 0], *parts]), fixed.regressor, 1)
    shared = np.moveaxis(found[1:], 0, -1)
    return Weighed(found[0], fixed.den, fixed.centre, len(reports), shared, fixed.gram, terms)
