"""What effects explain of the reports to one question: sums over people of what each effect adds in their cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats
from semildp.curator.effects.adding import added, even
from semildp.curator.effects.functions import Family
from semildp.curator.effects.own_sums import Outer, beside_expected
from semildp.curator.effects.reading import Reading

Effects = Sequence[tuple[Family, Floats]]  # families that the reports tell of, and their tables


@dataclass(frozen=True, eq=False)
class Products:
    """Sums over people and cells, for effects e at weight w of each cell; batches add up.

    Parameters
    ----------
    num
        Of w e * the unbiased residual.
    gram
        Of w e e' * the probability of the cell.
    """

    num: Floats
    gram: Floats

    def __add__(self, other: Products) -> Products:
        return Products(self.num + other.num, self.gram + other.gram)


def products(reading: Reading, effects: Effects, raw: Callable[[Outer], Floats]) -> Products:
    """Return the products of effects with the reports and among themselves; `raw` are the sums of reports by place."""
    weight = reading.weight
    if not reading.personal and not reading.believed:
        return _even_products(reading, effects, weight, raw)
    found: Products | None = None
    for batch in reading.batches():
        each = _own_products(batch, effects, weight)
        found = each if found is None else found + each
    assert found is not None
    return found


def explained(reading: Reading, effects: Effects, outers: Sequence[Outer]) -> dict[Outer, Floats]:
    """Return what effects explain together of the sums by cell and place, for each choice of known features."""
    if not reading.personal:
        return {outer: np.sum([_even_sums(reading, e, outer) for e in effects], axis=0) for outer in outers}

    def rows(batch: Reading) -> Floats:
        return beside_expected(batch, batch.lifted(batch.sent(np.sum([added(batch, *e) for e in effects], axis=0))))

    return reading.totals(outers, rows)


def _own_products(batch: Reading, effects: Effects, weight: Floats) -> Products:
    """Return the products of a batch of people, each with their own expectations."""
    parts = [added(batch, *each) for each in effects]
    along = [batch.direction(part) * weight for part in parts]
    sent = [batch.sent(part) for part in parts]
    num = np.array([batch.reports.product(each) for each in along])
    gram = np.array([a.ravel() for a in along]) @ np.array([s.ravel() for s in sent]).T
    return Products(num, gram)


def _even_sums(reading: Reading, effect: tuple[Family, Floats], outer: Outer) -> Floats:
    """Return what one effect explains by cell and place, if all people have the same expectations."""
    own, table = even(reading, *effect)
    each = _sent(reading, table)  # sum x place of the effect's own features
    if outer == own:
        return np.asarray(each * reading.counts.people_at(outer))
    return np.asarray(each @ reading.counts.people_at_both(own, outer))


def _even_products(reading: Reading, effects: Effects, weight: Floats, raw: Callable[[Outer], Floats]) -> Products:
    """Return the products by counting people at places: nothing else of them matters."""
    tables = [even(reading, *each) for each in effects]
    sent = [_sent(reading, table) for _, table in tables]
    along = [
        weight[:, None] * (table if reading.reports.signs is None else own)
        for (_, table), own in zip(tables, sent, strict=True)
    ]
    num, gram = np.zeros(len(effects)), np.zeros((len(effects), len(effects)))
    for a, (first, _) in enumerate(tables):
        num[a] = float((along[a] * raw(first)).sum())
        for b, (second, _) in enumerate(tables[: a + 1]):
            if first == second:
                gram[a, b] = float((along[a] * sent[b]).sum(axis=0) @ reading.counts.people_at(first))
            else:
                gram[a, b] = float((along[a] @ reading.counts.people_at_both(first, second) * sent[b]).sum())
            gram[b, a] = gram[a, b]
    return Products(num, gram)


def _sent(reading: Reading, table: Floats) -> Floats:
    """Return what people are expected to add to each sum, by place, from what they would get in each cell."""
    return reading.sent(table.T).T
