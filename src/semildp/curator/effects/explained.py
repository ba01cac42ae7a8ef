"""What the effects found so far explain of the sums, and how large each should be beside the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.curator.effects.parts import explained, products
from semildp.curator.effects.reading import Family, Reading


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
        self._sums: list[dict[tuple[int, ...], Floats]] = [{} for _ in asked]
        self._forget()

    def _forget(self) -> None:
        self._left: dict[tuple[int, tuple[int, ...]], Floats] = {}
        self._products: tuple[Floats, Floats] | None = None
        self._system: tuple[Floats, Floats] | None = None
        self._of_cells: dict[int, Floats] = {}

    @property
    def _all(self) -> list[tuple[Family, Floats]]:
        lines = [((j,), line) for j, line in self._lines.items()]
        return [*self._found.items(), *lines]

    def _raw(self, k: int, features: tuple[int, ...]) -> Floats:
        if features not in self._sums[k]:
            self._sums[k][features] = self.asked[k].counts.sums(features)
        return self._sums[k][features]

    def left(self, k: int, features: tuple[int, ...]) -> Floats:
        """Return the sums of residuals to the k-th question that are not explained, by cell and known places."""
        sums = self._raw(k, features)
        if (k, features) not in self._left:
            reading = self.asked[k]
            seen = [(family, effect) for family, effect in self._found.items() if reading.sees(family)]
            if not seen:
                return sums
            for each, those in explained(reading, seen, list(self._sums[k])).items():
                self._left[k, each] = self._sums[k][each] - those
        return self._left[k, features]

    def add(self, family: Family, effect: Floats, least: float) -> None:
        """Add an effect of a family to what there is of it.

        `least` is the precision of its size before anyone is asked, however large effects may be.
        """
        self._least[family] = least
        self._found[family] = self._found[family] + effect if family in self._found else effect
        self._shrinking.pop(family, None)
        if len(family) == 1:
            self._lines.pop(family[0], None)  # the effect itself stands for what the feature explains
        self._forget()

    def balance(self) -> Iterator[tuple[Family, float]]:
        """Fit the sizes of all effects together; yield each family and the factor of its size.

        Features that go together share what they explain: an effect that was found alone is too large once another is
        there. See `system`.
        """
        num, gram = self.system()
        factors = 1 + np.linalg.solve(gram, num)
        for a, family in enumerate(list(self._found)):
            self._found[family] = factors[a] * self._found[family]
            self._shrinking[family] = self._shrinking[family] * factors[a] ** 2 or 1.0  # of size 0 it stays so
            yield family, float(factors[a])
        self._scale(np.where(np.arange(len(factors)) < len(self._found), factors, 1.0))

    def _scale(self, factors: Floats) -> None:
        """Scale what has been added up over people, rather than adding it up again for effects of other sizes."""
        assert self._products is not None
        q, gram = self._products
        of_cells = {k: factors[:, None] * each for k, each in self._of_cells.items()}
        self._forget()
        self._products, self._of_cells = (factors * q, np.outer(factors, factors) * gram), of_cells

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
                for k in range(len(self.asked)):
                    self._count(k, *self._products)
            q, gram = self._products[0], self._products[1].copy()
            present = (np.arange(size) < len(self._found)).astype(np.float64)
            self._shrink(q, gram)
            gram += np.diag([*(self._shrinking[f] for f in self._found), *[1.0] * len(self._lines)])
            self._system = q - gram @ present, gram
        return self._system

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

    def sums_of(self, k: int) -> Floats:
        """Return what each effect and line explains of the sums of the k-th question: effect x cell."""
        self.system()
        return self._of_cells[k]

    def _count(self, k: int, num: Floats, gram: Floats) -> None:
        """Add one question's share to G and to the products of effects and reports."""
        reading, everything = self.asked[k], self._all
        self._of_cells[k] = np.zeros((len(everything), reading.reports.n_cells))
        seen = [a for a, (family, _) in enumerate(everything) if reading.sees(family)]
        if seen:
            found = products(reading, [everything[a] for a in seen], lambda features: self._raw(k, features))
            num[seen] += found.num
            gram[np.ix_(seen, seen)] += found.gram
            self._of_cells[k][seen] = found.sums
