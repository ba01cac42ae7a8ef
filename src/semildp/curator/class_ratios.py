"""Probabilities of classes as the paper estimates a label: unbiased sums divided by counts, with a fall-back."""

from __future__ import annotations

import numpy as np

from semildp._arrays import Floats
from semildp.curator.class_estimate import ClassEstimate
from semildp.curator.class_shrinking import to_simplices
from semildp.curator.class_waves.prior import class_prior
from semildp.curator.estimate import estimate
from semildp.curator.totals import Totals
from semildp.domains import LabelGrid
from semildp.mechanisms import ClassResponse, IndicatorWeights
from semildp.partition import Partition

_ONE_STEP = LabelGrid(0.0, 1.0, 1)  # 1{class} as a label


def ratio_estimate(
    partition: Partition,
    totals: tuple[Totals, ...],
    weights: IndicatorWeights,
    response: ClassResponse,
    min_count: float | str,
) -> ClassEstimate:
    """Divide sums of 1{class} by counts, class by class (equation (7) of the paper), then go to the simplex.

    Each class has totals of its own, whose label is 1 where the class was sent. A cell or the larger one around it that
    answers for it has n people, in effect; the shares of all count as one person more, so that nothing is 0.
    """
    c, per_mark = len(totals), response.per_score
    false = (1 - 1 / per_mark) / c  # probability q of a class that is not the true one, p - q = 1 / per_mark

    def unbiased(mean: Floats) -> Floats:
        return np.asarray((mean - false) * per_mark)

    found = [estimate(partition, each, weights, _ONE_STEP, min_count, unbiased) for each in totals]
    shares = np.array([float(unbiased(np.array(t.label_sum / max(t.n_people, 1)))) for t in totals])
    noise = response.total_noise / c / max(totals[0].n_people, 1)
    prior = class_prior(shares, noise)
    people = np.maximum(found[0].counts, 1.0)[:, None]
    values = to_simplices(np.stack([each.values for each in found], axis=1))
    probabilities = (people * values + prior) / (people + 1)
    return ClassEstimate(prior, probabilities, found[0].counts, 1.0, 0.0)
