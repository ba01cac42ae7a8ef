"""How far to believe members, from their predictions for people they were not fitted to."""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from semildp._arrays import Floats

_SPREAD = 0.5  # prior standard deviation of a weight around its first guess: a guess


def first_weights(outside: Floats, y: Floats, w: Floats) -> Floats:
    """Weigh members by e**-z, z being how many standard errors their loss, w (y - prediction)^2, is above the lowest.

    One member's losses are held at a time, and those of the best.
    """
    best = int(np.argmin([_losses(each, y, w).mean() for each in outside]))
    lowest = _losses(outside[best], y, w)
    z = np.zeros(len(outside))
    for member, each in enumerate(outside):
        excess = _losses(each, y, w)
        excess -= lowest
        mean = excess.mean()
        excess -= mean
        excess **= 2
        error = np.sqrt(excess.mean()) / np.sqrt(len(y))  # as of `np.std`, without another array
        z[member] = mean / (error if error > 0 else 1.0)
    weights = np.exp(-z)
    return np.asarray(weights / weights.sum())


def _losses(predicted: Floats, y: Floats, w: Floats) -> Floats:
    found = predicted - y
    found **= 2
    found *= w
    return found


def stack(outside: Floats, y: Floats, w: Floats, guess: Floats) -> Floats:
    """Return weights v >= 0 that minimise sum w (y - v . outside)^2 / noise + |v - guess|^2 / (1/2)^2.

    Where labels say little the first guess stays; where they say much it is least squares. `outside` is
    (members, people); `noise` is the sum of (w (y - guess . outside))^2 over the sum of w.
    """
    noise = float(w**2 @ (y - guess @ outside) ** 2) / float(w.sum())
    pull = max(noise, 1e-12 * float(w**2 @ y**2) / float(w.sum())) / _SPREAD**2
    if pull == 0:
        return guess
    weighed = outside * w
    gram = weighed @ outside.T
    root = np.linalg.cholesky(gram + pull * np.eye(len(guess)))
    return np.asarray(nnls(root.T, np.linalg.solve(root, weighed @ y + pull * guess))[0])


def trust(deviation: Floats, y: Floats, w: Floats, caution: float) -> float:
    """Return the slope of y on the deviation, at most 1, times (1 - caution / z) (1 + 1 / z), z being slope over error.

    At caution 1 this is 1 - 1 / z^2, as James and Stein shrink: a slope below its standard error becomes 0, and a clear
    one hardly moves. With more caution a slope below so many standard errors becomes 0.
    """
    square = float(w @ deviation**2)
    slope = float(w @ (deviation * y)) / square if square > 0 else 0.0
    if slope <= 0:
        return 0.0
    left = y - slope * deviation
    error = float(np.sqrt(w**2 @ (deviation * left) ** 2)) / square
    return min(slope, 1.0) * min(max(1 - caution * error / slope, 0.0) * (1 + error / slope), 1.0)
