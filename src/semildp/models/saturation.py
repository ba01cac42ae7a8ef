"""What a sum of effects cannot say of a probability: near 0 and 1 each feature has less effect than elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from semildp._arrays import Floats
from semildp.models.additive import AdditiveBody
from semildp.models.bars import Errors
from semildp.models.belief import Belief
from semildp.models.effects import Effect

# Part of the variance that a sum leaves which is still left once the sum is cut to [0, 1]: 0.61 to 0.63 for normal log
# odds with a standard deviation of 1.5 to 2.5, by numerical integration, in units of what `saturation` returns.
LEFT = 0.62
MOST = 0.8  # of the labels' variance: what predictions are taken to explain at most


def bounded(errors: Errors, body: AdditiveBody, predicted: Floats) -> Errors:
    """Return the errors of probabilities: the belief's mean is cut to [0, 1], and sums of effects are not exact."""
    return replace(errors.cut(predicted), variance=errors.variance + _beyond_sums(body))


def saturation(variance: float, spread: float) -> float:
    """Return the variance of a probability f that no sum of functions of single features has.

    Let f = Phi(z), z being a sum of effects and about normal with mean 0 and variance s, and r = s / (1 + s). Then var
    f = asin(r) / (2 pi), and the part of f that is linear in z has variance r / (2 pi). With v = var f this leaves
    v - sin(2 pi v) / (2 pi). It is exact for classes of equal shares; for others all variances are scaled by 4 *
    `spread`, the variance of labels.
    """
    scale = 4 * spread
    v = min(variance, MOST * spread) / scale
    return float(scale * (v - np.sin(2 * np.pi * v) / (2 * np.pi)))


def _beyond_sums(body: AdditiveBody) -> float:
    """Return the mean square of what features do together by saturation, less what is known of it.

    What error bars hold anyway for pairs that are not told one by one is an allowance for the same, and counts once.
    """
    if body.bars is None or body.bars.spread <= 0:
        return 0.0
    alone, pairs = _sizes(body.bars.belief)
    for effect in body.effects:
        if len(effect.features) == 1:
            alone += _size(effect)
        else:
            pairs += _size(effect)
    allowed = body.bars.rest + body.bars.belief.small
    return max(LEFT * (saturation(alone + pairs, body.bars.spread) - pairs) - allowed, 0.0)


def _sizes(belief: Belief) -> tuple[float, float]:
    """Return the mean squares of functions of single features and of pairs; cosines are orthonormal."""
    alone = sum(m * m for m in belief.mean[1:])
    return alone, sum((pair.chance * m) ** 2 for pair in belief.pairs for m in pair.means)


def _size(effect: Effect) -> float:
    """Return the variance of an effect over people."""
    people = np.ones(1)
    for shares in effect.shares:
        people = np.multiply.outer(people, np.asarray(shares)).ravel()
    values = np.asarray(effect.values)
    return float(people @ (values - people @ values) ** 2)
