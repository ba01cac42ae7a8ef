"""The paper's simulated people: five features, two of them private, and a noisy label."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

N_FEATURES = 5
PRIVATE = (0, 1)  # features 1 and 2, for everyone
FEATURE_BOUNDS = (0.0, 1.0)
LABEL_BOUNDS = (-2.0, 4.5)
LABEL_RANGE = LABEL_BOUNDS[1] - LABEL_BOUNDS[0]
FORMULA = "label = sin(feature 1) + sin(feature 2) + sin(feature 5) + standard normal noise"

# Variance of the regression function: three times that of sin(U), U uniform on [0, 1].
TRUE_VARIANCE = 3 * (0.5 - math.sin(2) / 4 - (1 - math.cos(1)) ** 2)


def truth(X: Floats) -> Floats:
    """Return the regression function: the mean label of people with these features."""
    total: Floats = np.sin(X[:, [0, 1, 4]]).sum(axis=1)
    return total


def draw_people(n_people: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw features, uniform on the unit cube, and labels."""
    X = draw_features(n_people, rng)
    return X, truth(X) + rng.normal(size=n_people)


def draw_features(n_people: int, rng: np.random.Generator) -> Floats:
    """Draw features alone: fresh points to be judged on."""
    return rng.uniform(*FEATURE_BOUNDS, size=(n_people, N_FEATURES))
