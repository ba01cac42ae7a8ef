"""What the sums of a question about cells tell of a doubt: by how much they lower it, and what they leave of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats
from semildp.curator.effects.doubts import Doubt

FEW = 16  # sums: their eigenvalues, found once for any noise, are worth more than a triangular factor for each


@dataclass(frozen=True, eq=False)
class Told:
    """Sums s = G a + noise, of numbers a with covariance C, along the axes on which G C G' is diagonal.

    With U these axes, sums with noise variance N leave C - a' diag(t) a, a = U' G C, averaged over the ways an effect
    varies in public: t = sum over ways w of w^2 / (w e + N), e being the eigenvalues of G C G'. If each sum keeps the
    share `kept` of the numbers, G is multiplied by it.

    Parameters
    ----------
    doubt
        What is unknown: C, and the ways.
    spread
        The eigenvalues e.
    along
        The rows of a.
    lowered
        By how much each row lowers the variance over people, per unit of t.
    """

    doubt: Doubt
    spread: Floats
    along: Floats
    lowered: Floats

    @classmethod
    def of(cls, doubt: Doubt, rows: Floats) -> Told:
        """Find the axes of the sums whose rows are G."""
        moved = rows @ doubt.covariance
        spread, axes = np.linalg.eigh(moved @ rows.T)
        along = axes.T @ moved
        return cls(doubt, np.maximum(spread, 0.0), along, doubt.telling * (along**2 @ doubt.people))

    @property
    def n_sums(self) -> int:
        """How many sums there are."""
        return len(self.spread)

    def _weights(self, kept: float, noise: float) -> Floats:
        """Return kept^2 t."""
        ways, square = self.doubt.ways, kept**2
        if ways[0] == 1:  # one way
            return np.asarray(square / (square * self.spread + noise))
        ways = ways[:, None]
        return np.asarray(square * (ways**2 / (square * ways * self.spread + noise)).sum(axis=0))

    def gain(self, kept: float, noise: float) -> float:
        """Return by how much sums with this noise lower the variance over people."""
        return float(self._weights(kept, noise) @ self.lowered)

    def left(self, kept: float, noise: float) -> Floats:
        """Return the covariance that they leave."""
        return np.asarray(self.doubt.covariance - (self.along.T * self._weights(kept, noise)) @ self.along)


@dataclass(frozen=True, eq=False)
class ManyTold:
    """The same of many sums, for effects that do not vary in public: by a triangular factor of G C G' + N.

    Parameters
    ----------
    doubt
        What is unknown.
    moved, gram
        G C and G C G'.
    """

    doubt: Doubt
    moved: Floats
    gram: Floats

    @classmethod
    def of(cls, doubt: Doubt, rows: Floats) -> ManyTold:
        """Multiply the rows of G by the covariance."""
        moved = rows @ doubt.covariance
        return cls(doubt, moved, moved @ rows.T)

    @property
    def n_sums(self) -> int:
        """How many sums there are."""
        return len(self.gram)

    def _along(self, kept: float, noise: float) -> Floats:
        root = np.linalg.cholesky(kept**2 * self.gram + noise * np.eye(len(self.gram)))
        return np.asarray(np.linalg.solve(root, kept * self.moved))

    def gain(self, kept: float, noise: float) -> float:
        """Return by how much sums with this noise lower the variance over people."""
        return self.doubt.telling * float((self._along(kept, noise) ** 2 @ self.doubt.people).sum())

    def left(self, kept: float, noise: float) -> Floats:
        """Return the covariance that they leave."""
        along = self._along(kept, noise)
        return np.asarray(self.doubt.covariance - along.T @ along)


def told_by_rows(doubt: Doubt, rows: Floats) -> Told | ManyTold:
    """Return what sums with these rows tell of a doubt."""
    return ManyTold.of(doubt, rows) if len(rows) > FEW and doubt.ways[0] == 1 else Told.of(doubt, rows)
