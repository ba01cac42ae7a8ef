"""How a pair (candidate, class) is best sent, and what the marks that a report leaves say of one class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from semildp._arrays import Floats
from semildp._checks import one_of, privacy_parameter, whole_number
from semildp.mechanisms.pairs import MANY_CANDIDATES, MOST_SYMBOLS, PairResponse
from semildp.mechanisms.subset_response import SubsetResponse

CLASS_KINDS = ("generalised", "subset")


@dataclass(frozen=True)
class ClassResponse(PairResponse):
    """Sends (candidate, class) as the one private value candidate * classes + class, with all of epsilon.

    It is a `PairResponse` whose levels are classes. Of a report, the score of the class `target` is 1{level = target} -
    1 / classes. Scores add up to 0 over the levels, so false marks cancel, and

        per_score * (sum of the scores of marks on a candidate)

    is unbiased for the sum, over the people in it, of 1{class = target} - 1 / classes. The unbiased count of people is
    per_mark * marks + per_person * (number of people), as for any pair.

    Parameters
    ----------
    epsilon
        Privacy parameter of candidate and class together.
    n_candidates, levels
        How many candidates and how many classes there are.
    kind
        "generalised" (`GeneralisedResponse`) or "subset" (`SubsetResponse`).
    width
        Size of the subset; None is the one of least variance.
    target
        The class that scores are of. What is sent does not depend on it.
    """

    target: int = 0

    def __post_init__(self) -> None:
        one_of("kind", self.kind, CLASS_KINDS)
        super().__post_init__()
        object.__setattr__(self, "target", whole_number("target", self.target, 0, self.levels - 1))

    def of_class(self, target: int) -> ClassResponse:
        """Return the same response with scores of another class."""
        return replace(self, target=target)

    @property
    def scores(self) -> Floats:
        """The score of each level: 1{level = target} - 1 / classes."""
        return np.asarray((np.arange(self.levels) == self.target) - 1 / self.levels)

    def noise(self, spread: float) -> float:
        """Return about the mean square of one report's scores, summed over candidates.

        True scores have mean square `spread`, and nothing is rounded. Exact but for the marks that a subset leaves
        beside the true one. `spread` is p (1 - 2 / classes) + 1 / classes**2 where a share p is of the class.
        """
        q, contrast = self._chances
        marked = contrast * spread + q * self.n_candidates * float(self.scores @ self.scores)
        return marked * self.per_square

    @property
    def total_noise(self) -> float:
        """Mean square of one report's scores, summed over candidates and over all classes as targets, exactly.

        A mark adds 1 - 1 / classes, and each pair of marks on one candidate takes 2 / classes off. Of the m marks of a
        subset among n values, with the true one in it with probability p, a given pair is (true, other) with
        probability p (m - 1) / (n - 1).
        """
        c, mechanism, (q, contrast) = self.levels, self.mechanism, self._chances
        n, p = mechanism.n_values, contrast + q
        total = (p + (n - 1) * q) * (1 - 1 / c)
        if isinstance(mechanism, SubsetResponse) and n > 1:
            with_true = (c - 1) * p * (mechanism.size - 1) / (n - 1)
            others = ((c - 1) * (c - 2) + (self.n_candidates - 1) * c * (c - 1)) / 2 * mechanism.other_pair
            total -= 2 / c * (with_true + others)
        return total * self.per_score**2


def best_class_response(epsilon: float, n_candidates: int, n_classes: int) -> ClassResponse:
    """Choose the mechanism of least noise, summed over classes and candidates, from public numbers.

    Among very many values only generalised response is left: its reports are short.
    """
    size = whole_number("n_candidates", n_candidates, 1, MOST_SYMBOLS // 2)
    classes = whole_number("n_classes", n_classes, 2, MOST_SYMBOLS // size)
    return _best_class_response(privacy_parameter("epsilon", epsilon), size, classes)


@lru_cache(maxsize=4096)
def _best_class_response(epsilon: float, n_candidates: int, n_classes: int) -> ClassResponse:
    single = ClassResponse(epsilon, n_candidates, n_classes, "generalised")
    if n_candidates * n_classes > MANY_CANDIDATES or SubsetResponse.best_size(epsilon, n_candidates * n_classes) == 1:
        return single
    return min(single, ClassResponse(epsilon, n_candidates, n_classes, "subset"), key=lambda r: r.total_noise)
