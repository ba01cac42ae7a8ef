"""What the effects found so far explain of the sums, and how large each should be beside the others."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from semildp._arrays import Floats, Ints
from semildp.curator.effects.functions import Family
from semildp.curator.effects.own_sums import Outer, reported
from semildp.curator.effects.parts import explained, products
from semildp.curator.effects.reading import Reading

MOST = 2.0  # standard deviations, before anyone is asked, that the size of an effect may be
NEAR = 4.0  # by which factor the products of effects may be smaller than is expected


@dataclass(frozen=True, eq=False)
class Others:
    """Effects beside which a new one is judged: which, their products with the reports, and among themselves."""

    kept: Ints
    num: Floats
    gram: Floats


class Explained:
    """The effects found so far, and a line for each private feature that may have an effect as well.

    Parameters
    ----------
    asked
        The questions.
    lines
        For private features, a line over the places. No line is part of the model, but what one could explain is not
        taken for an effect of another feature: its size has mean 0 and variance 1.
    """

    def __init__(self, asked: list[Reading], lines: dict[int, Floats]) -> None:
        self.asked = asked
        self._found: dict[Family, Floats] = {}
        self._shrinking: dict[Family, float] = {}
        self._least: dict[Family, float] = {}
        self._lines = dict(lines)
        self._sums: list[dict[Outer, Floats]] = [{} for _ in asked]
        self._parts: list[dict[tuple[Family, bool], dict[Outer, Floats]]] = [{} for _ in asked]  # by family, if found
        self._forget()

    def _forget(self) -> None:
        self._left: dict[tuple[int, Outer], Floats] = {}
        self._products: tuple[Floats, Floats] | None = None
        self._system: tuple[Floats, Floats] | None = None

    @property
    def _all(self) -> list[tuple[Family, Floats]]:
        lines = [((j,), line) for j, line in self._lines.items()]
        return [*self._found.items(), *lines]

    def _raw(self, k: int, features: Outer) -> Floats:
        if features not in self._sums[k]:
            self._sums[k].update(reported(self.asked[k], self._wanted(k, features, self._sums[k])))
        return self._sums[k][features]

    def _wanted(self, k: int, features: Outer, known: Collection[Outer]) -> list[Outer]:
        """Return what else is added up with sums by places, as one look at all people does: by each public feature."""
        reading = self.asked[k]
        public = [(j,) for j in sorted(reading.shares) if j not in reading.private and reading.reports.knows(j)]
        every = [features, (), *public] if reading.personal else [features]
        return [each for each in dict.fromkeys(every) if each not in known]

    def left(self, k: int, features: Outer) -> Floats:
        """Return the sums of residuals to the k-th question that are not explained, by cell and known places."""
        if (k, features) not in self._left:
            left = self._raw(k, features)
            for family, effect in self._found.items():
                if self.asked[k].sees(family):
                    left = left - self._part(k, family, effect, features, found=True)
            self._left[k, features] = left
        return self._left[k, features]

    def without(self, k: int, families: Collection[Family]) -> Floats:
        """Return the sums of residuals to the k-th question, by cell, that other families' effects do not explain."""
        found = self.left(k, ())
        for family in set(families) & set(self._found):
            if self.asked[k].sees(family):
                found = found + self._part(k, family, self._found[family], (), found=True)
        return np.asarray(found[:, 0])

    def parts(self, k: int, features: Outer) -> list[Floats | None]:
        """Return what each effect and line explains of sums by cell and known places; None if nothing is told of it."""
        return [
            self._part(k, family, effect, features, found=a < len(self._found)) if self.asked[k].sees(family) else None
            for a, (family, effect) in enumerate(self._all)
        ]

    def _part(self, k: int, family: Family, effect: Floats, features: Outer, *, found: bool) -> Floats:
        """Return what one effect, or line, explains; it is added up for all places that were asked for, at once."""
        kept = self._parts[k].setdefault((family, found), {})
        if features not in kept:
            kept.update(explained(self.asked[k], [(family, effect)], self._wanted(k, features, kept)))
        return kept[features]

    def add(self, family: Family, effect: Floats, least: float) -> None:
        """Add the effect of a family.

        `least` is the precision of its size before anyone is asked, however large effects may be.
        """
        self._least[family], self._found[family] = least, effect
        if len(family) == 1:
            self._lines.pop(family[0], None)  # the effect itself stands for what the feature explains
        self._forget()

    def gain(self, families: Collection[Family]) -> float:
        """Return the log of how much likelier the reports are with these effects than without, beside all others."""
        if not self._found:
            return 0.0
        self.system()
        assert self._products is not None
        (q, gram), every = self._products, list(self._found)
        without = [a for a, family in enumerate(every) if family not in families]

        def fit(some: list[int]) -> float:
            return float(q[some].sum() - 0.5 * gram[np.ix_(some, some)].sum())

        return fit(list(range(len(every)))) - fit(without)

    def balance(self) -> Iterator[tuple[Family, float]]:
        """Fit the sizes of all effects together; yield each family and the factor of its size.

        Features that go together share what they explain: an effect that was found alone is too large once another is
        there. See `system`.
        """
        num, gram = self.system()
        factors = np.asarray(1 + np.linalg.solve(gram, num), dtype=np.float64)
        self._limit(factors)
        for a, family in enumerate(list(self._found)):
            self._found[family] = factors[a] * self._found[family]
            for parts in self._parts:
                kept = parts.get((family, True), {})
                kept.update({each: factors[a] * sums for each, sums in kept.items()})
            self._shrinking[family] = self._shrinking[family] * factors[a] ** 2 or 1.0  # of size 0 it stays so
            yield family, float(factors[a])
        self._scale(np.where(np.arange(len(factors)) < len(self._found), factors, 1.0))

    def resize(self) -> Iterator[tuple[Family, float]]:
        """Fit the sizes once more, by where people report to be; yield each family and the factor of its size.

        What is expected of people, given what is public, is a linear guess. With unbiased indicators of their cells in
        its place, the products G of effects are those of least squares, whatever the guess is: effects that do not
        lower the error get small. Nothing is judged beside effects after this.
        """
        if self._found:
            self.system()
            assert self._products is not None
            q, usual = self._products
            gram = np.zeros(usual.shape)
            for k, reading in enumerate(self.asked):
                self._count(k, reading.as_reported(), np.zeros(len(q)), gram)
            solved = np.linalg.solve(_near(gram, usual) + np.diag(self._precisions), q)
            factors = np.asarray(solved, dtype=np.float64)
            self._limit(factors)
            yield from zip(self._found, factors.tolist(), strict=False)

    def _limit(self, factors: Floats) -> None:
        """Limit factors of sizes: no effect is more than `MOST` standard deviations of the largest before."""
        for a, family in enumerate(self._found):
            most = MOST / max(self._least[family], 1e-300) ** 0.5
            factors[a] = np.clip(factors[a], -most, most)
            self._least[family] *= factors[a] ** 2

    def _scale(self, factors: Floats) -> None:
        """Scale what has been added up over people, rather than adding it up again for effects of other sizes."""
        assert self._products is not None
        q, gram = self._products
        self._forget()
        self._products = factors * q, np.outer(factors, factors) * gram

    def system(self) -> tuple[Floats, Floats]:
        """Return num and G + P of all effects and lines together: sizes change by (G + P)^-1 num.

        With effects e, at weight w = N / V of each cell, sizes a give q = G a + noise of variance G, G = sum of w e e'.
        P is the precision of sizes, around 0, before. A line's is 1. That of an effect is such that its size, when it
        was found, was the right one beside the others of then: with Q what others leave of q, and H of G, (H + P) 1 =
        Q. Sizes are 1 for effects now, and 0 for lines.
        """
        if self._system is None:
            size = len(self._found) + len(self._lines)
            if self._products is None:
                self._products = np.zeros(size), np.zeros((size, size))
                for k, reading in enumerate(self.asked):
                    self._count(k, reading, *self._products)
            q, gram = self._products[0], self._products[1].copy()
            present = (np.arange(size) < len(self._found)).astype(np.float64)
            self._shrink(q, gram)
            gram += np.diag(self._precisions)
            self._system = q - gram @ present, gram
        return self._system

    @property
    def _precisions(self) -> list[float]:
        """Precisions of the sizes of effects and lines, before."""
        return [*(self._shrinking[f] for f in self._found), *[1.0] * len(self._lines)]

    def _shrink(self, q: Floats, gram: Floats) -> None:
        """Find the precision of new effects' sizes."""
        lines = range(len(self._found), len(q))
        for a, family in enumerate(self._found):
            if family in self._shrinking:
                continue
            found = {b: self._shrinking[f] for b, f in enumerate(self._found) if f in self._shrinking}
            known, prior = [*found, *lines], [*found.values(), *[1.0] * len(lines)]
            solved = np.linalg.solve(gram[np.ix_(known, known)] + np.diag(prior), np.c_[gram[known, a], q[known]])
            beside = float(q[a] - gram[a, known] @ solved[:, 1]) - float(gram[a, a] - gram[a, known] @ solved[:, 0])
            self._shrinking[family] = max(beside, self._least[family], 1e-6 * float(gram[a, a])) or 1.0

    def others(self, family: Family) -> Others:
        """Return the effects beside which a family is judged: all that were found, and lines of other features."""
        num, gram = self.system()
        lines = [len(family) == 2 or (j,) != family for j in self._lines]
        kept = np.flatnonzero([*[True] * len(self._found), *lines])
        return Others(kept, num[kept], gram[np.ix_(kept, kept)])

    def _count(self, k: int, reading: Reading, num: Floats, gram: Floats) -> None:
        """Add one question's share to G and to the products of effects and reports."""
        everything = self._all
        seen = [a for a, (family, _) in enumerate(everything) if reading.sees(family)]
        if seen:
            found = products(reading, [everything[a] for a in seen], lambda features: self._raw(k, features))
            num[seen] += found.num
            gram[np.ix_(seen, seen)] += found.gram


def _near(gram: Floats, usual: Floats) -> Floats:
    """Return products of effects, at least `usual` / `NEAR` in every direction: noise may leave them negative."""
    usual = usual + np.diag(1e-9 * np.diag(usual) + 1e-12)
    values, axes = eigh((gram + gram.T) / 2, usual)
    along = usual @ axes
    return np.asarray((along * np.maximum(values, 1 / NEAR)) @ along.T)
