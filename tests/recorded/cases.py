"""The fits whose predictions are recorded: the paper's method and its competitors, by public names alone."""

from __future__ import annotations

import hashlib
import itertools
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from semildp import HistOfTreeRegressor, masks
from semildp.baselines import (
    LabelTreeRegressor,
    PrivateHistogramRegressor,
    PublicTreeRegressor,
    RandomizedFeatureTreeRegressor,
)

N_PEOPLE, N_FEATURES = 240, 4
BOUNDS = {"label_bounds": (-1.0, 3.5), "feature_bounds": (0.0, 1.0), "clip": True}
MASKS = ("aligned", "personal", "hidden", "none")
EPSILONS = (0.7, 1.0, 2.0, 4.0)
SHARES = (0.5, 0.7, 0.9)
FIXED = {"n_histogram_features": 2, "depth": 2, "bins": 2}
Case = tuple[str, Any, str]  # name, estimator, mask


def people(seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Four features, and a label that lies outside its bounds now and then."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(N_PEOPLE, N_FEATURES))
    return X, X[:, 0] + X[:, 1] + np.sin(6 * X[:, 2]) + 0.3 * rng.normal(size=N_PEOPLE)


def mask_of(name: str) -> np.ndarray | None:
    if name == "none":
        return None
    if name == "aligned":
        return masks.aligned(N_PEOPLE, N_FEATURES, [0, 2])
    return masks.heavy_tail(N_PEOPLE, N_FEATURES, 1.0)


def paper() -> Iterator[Case]:
    """Splitters x cell mechanisms x masks x shapes x shares of the label x epsilon; a seed for each."""
    rows = itertools.product(("max-edge", "random", "cart"), ("grr", "rr"), MASKS, ("fixed", "auto"), SHARES, EPSILONS)
    for seed, (splitter, cells, mask, shape, share, epsilon) in enumerate(rows):
        if splitter == "cart" and mask == "hidden":
            continue  # refused: there are no public features
        estimator = HistOfTreeRegressor.paper(
            epsilon,
            splitter=splitter,
            cell_mechanism=cells,
            label_share=share,
            hide_mask=mask == "hidden",
            random_state=seed,
            **(FIXED if shape == "fixed" else {}),
            **BOUNDS,
        )
        yield f"{splitter} {cells} {mask} {shape} {share} {epsilon}", estimator, mask


def baselines() -> Iterator[Case]:
    """The competitors x masks x epsilon; one that protects no feature is fitted without a mask."""
    kinds = {
        "label-tree": LabelTreeRegressor,
        "public-tree": PublicTreeRegressor,
        "randomized-features": RandomizedFeatureTreeRegressor,
        "private-histogram": PrivateHistogramRegressor,
    }
    for seed, (name, mask, epsilon) in enumerate(itertools.product(kinds, MASKS, EPSILONS)):
        if mask == "hidden" or (name == "label-tree" and mask != "none"):
            continue
        yield f"{name} {mask} {epsilon}", kinds[name](epsilon, random_state=seed, **BOUNDS), mask


FILES = {"paper": paper, "baselines": baselines}


def predictions(estimator: Any, mask: str) -> np.ndarray:
    """Fit, with some private entries missing, then predict other rows.

    A private histogram fills in from words drawn for every entry, masked or not, which it did not when this was
    recorded: it gets rows with nothing missing.
    """
    X, y = people()
    chosen = mask_of(mask)
    if chosen is not None and not isinstance(estimator, PrivateHistogramRegressor):
        X = np.where(chosen & (X > 0.9), np.nan, X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # bounds that are wide, said of some of these fits
        estimator.fit(X, y, **({} if chosen is None else {"mask": chosen}))
        return np.asarray(estimator.predict(people(6)[0]), dtype=np.float64)


def recorded(predicted: np.ndarray) -> dict[str, Any]:
    """What is kept: a digest of all bits, and a few values for a person to look at."""
    return {
        "sha256": hashlib.sha256(predicted.astype("<f8").tobytes()).hexdigest(),
        "first": [float(value) for value in predicted[:3]],
    }
