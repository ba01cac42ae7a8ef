"""The functions that effects are made of: of some, an effect is one; of others, it is a sum."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from semildp._arrays import Floats

Family = tuple[int, ...]  # the features of an effect: one private, or a private and another
TERMS_OF_TWO = 4  # functions of each of two numbers, of whose products a surface is made
MOST_TERMS = 256  # of a curve or surface: time


@dataclass(frozen=True, eq=False)
class Functions:
    """The functions of each feature, with mean 0 over the people.

    Parameters
    ----------
    values
        For each feature, one row per function, one column per place. First come those of which an effect is one, then
        the terms of which curves are made.
    prior
        How likely each of the first is, in an effect of so many features.
    variance
        Their variances over the people.
    categories
        The features that have no order: one function per value.
    falls
        For each kind of curve (row), the variances of its terms' coefficients before anyone is asked, such that curves
        have mean square 1 over the people. A feature that is not there has no terms.
    """

    values: Mapping[int, Floats]
    prior: Mapping[int, Mapping[int, Floats]]
    variance: Mapping[int, Floats]
    categories: frozenset[int] = frozenset()
    falls: Mapping[int, Floats] = field(default_factory=dict)

    def single(self, j: int) -> Floats:
        """Return the functions of which an effect is one."""
        return self.values[j][: len(self.prior[j][1])]

    def terms(self, family: Family) -> tuple[slice, ...]:
        """Return which rows of `values` are the terms of curves, for each feature; none if there are no curves."""
        if any(j not in self.falls for j in family):
            return ()
        found = []
        for j in family:
            first, last = len(self.prior[j][1]), len(self.values[j])
            few = len(family) > 1 and j not in self.categories
            found.append(slice(first, min(last, first + TERMS_OF_TWO) if few else last))
        return tuple(found) if math.prod(rows.stop - rows.start for rows in found) <= MOST_TERMS else ()

    def spread(self, family: Family) -> Floats:
        """Return the variances of coefficients of a family's terms, or of their products: kind of curve x term."""
        found = np.ones((1, 1))
        for j, rows in zip(family, self.terms(family), strict=True):
            each = self.falls[j][:, : rows.stop - rows.start]
            found = (found[:, :, None] * each[:, None, :]).reshape(len(each), -1)
        return found
