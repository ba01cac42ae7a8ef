"""What a model says, as plain numbers to be drawn: the overall prediction, and what each feature adds to it."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np
from msgspec import Struct

from semildp._arrays import Floats
from semildp.models.additive import AdditiveBody, OpaqueBody
from semildp.models.effects import Effect
from semildp.models.model import Model
from semildp.study import Category, Classes, Study

POINTS = 49  # values of a number at which a prediction is read off: even, with both ends and the middle
FLAT = 1e-9  # of the label's range; what is added moves by less than this: by rounding only

Numbers = tuple[float, ...]
Axis = tuple[float, ...] | tuple[str, ...]


class Finding(Struct, frozen=True):
    """What one feature adds to the prediction, or two features together.

    Parameters
    ----------
    features
        Their names.
    private
        Whether it was learnt about values that most people keep private.
    shape
        "line": at points of a number; "steps": between the ends of places of a number; "values": at each value of a
        category; "map": over the places of two features, the first feature's places are rows.
    axes
        For each feature: points, ends of places (one more than there are places) or the values of a category.
    added
        What is added, in the label's unit.
    error
        Its standard error; None where it was not estimated. Where what is added was read off predictions, that of the
        prediction.
    mean_error
        Root mean square of the standard error, over the same people as `size`.
    size
        Root mean square of what is added, about its mean: over the estimated shares of people at each place, or over
        even values of the feature where the model knows no shares.
    """

    features: tuple[str, ...]
    private: bool
    shape: str
    axes: tuple[Axis, ...]
    added: Numbers
    error: Numbers | None
    mean_error: float | None
    size: float


class Together(Struct, frozen=True):
    """How far all public, or all private, features move the prediction, as if none depended on another."""

    private: bool
    size: float


class Findings(Struct, frozen=True):
    """What a model says.

    Parameters
    ----------
    mean, error
        The prediction for a person of whom nothing is known, and its standard error; None if it was not estimated.
    found
        What is added to it, the largest first.
    together
        The same for public and for private features together: roots of sums of squared sizes.
    idle
        Names of the features that add nothing.
    """

    mean: float
    error: float | None
    found: tuple[Finding, ...]
    together: tuple[Together, ...]
    idle: tuple[str, ...]


def findings_of(model: Model, private: Collection[int]) -> Findings:
    """Read a model. `private` has the features that most people hide, by index."""
    study = model.study
    nothing = np.full((1, len(study.features)), np.nan)
    mean, variance = _predicted(model, nothing)
    effects = model.body.effects if isinstance(model.body, AdditiveBody | OpaqueBody) else ()
    found = [_effect(effect, study) for effect in effects]
    alone = {effect.features[0] for effect in effects if len(effect.features) == 1}
    others = (j for j in range(len(study.features)) if j not in alone)
    found += [_along(model, j, float(mean[0]), j in private) for j in others]
    low, high = (0.0, 1.0) if isinstance(study.label, Classes) else study.label_bounds
    moving = sorted((each for each in found if each.size > FLAT * (high - low)), key=lambda each: -each.size)
    named = {name for each in moving for name in each.features}
    idle = tuple(name for name in study.names if name not in named)
    together = tuple(
        Together(part, math.sqrt(sum(each.size**2 for each in moving if each.private == part)))
        for part in (False, True)
    )
    return Findings(float(mean[0]), _error(variance), tuple(moving), together, idle)


def _predicted(model: Model, rows: Floats) -> tuple[Floats, Floats]:
    """Return what is predicted, and its variance; of classes, for the probability of the last one."""
    if not isinstance(model.study.label, Classes):
        return model.predict(rows)
    probability, variance = model.predict_proba(rows)
    return probability[:, -1], variance[:, -1]


def _effect(effect: Effect, study: Study) -> Finding:
    """Tell an effect of a private feature, or of two features, with the errors that the model has of it."""
    weights = np.ones(1)
    for shares in effect.shares:
        weights = np.multiply.outer(weights, np.asarray(shares)).ravel()
    axes = tuple(_places(study, j, effect.cuts[k]) for k, j in enumerate(effect.features))
    shape = "map" if len(axes) == 2 else "values" if study.n_values[effect.features[0]] is not None else "steps"
    names = tuple(study.names[j] for j in effect.features)
    return _finding(names, True, shape, axes, np.asarray(effect.values), np.asarray(effect.deviations), weights)


def _along(model: Model, j: int, mean: float, private: bool) -> Finding:
    """Read off how the prediction moves along one feature while all others are unknown."""
    study = model.study
    domain = study.features[j].domain
    axis: Axis
    if isinstance(domain, Category):
        axis, points = domain.values, np.arange(len(domain.values), dtype=np.float64)
    else:
        points = np.linspace(domain.low, domain.high, POINTS)
        axis = tuple(points.tolist())
    rows = np.full((len(points), len(study.features)), np.nan)
    rows[:, j] = points
    predicted, variance = _predicted(model, rows)
    error = None if np.isnan(variance).any() else np.sqrt(np.maximum(variance, 0.0))
    shape = "values" if isinstance(domain, Category) else "line"
    return _finding((study.names[j],), private, shape, (axis,), predicted - mean, error, np.ones(len(points)))


def _finding(
    names: tuple[str, ...],
    private: bool,
    shape: str,
    axes: tuple[Axis, ...],
    added: Floats,
    error: Floats | None,
    weights: Floats,
) -> Finding:
    """Put a finding together; `weights` say how many people are where."""
    shares = weights / weights.sum()
    size = math.sqrt(float(shares @ (added - shares @ added) ** 2))
    errors = None if error is None else tuple(error.tolist())
    typical = None if error is None else math.sqrt(float(shares @ error**2))
    return Finding(names, private, shape, axes, tuple(added.tolist()), errors, typical, size)


def _places(study: Study, j: int, cuts: Numbers) -> Axis:
    """Return a category's values, or the ends of a number's places in its own unit."""
    domain = study.features[j].domain
    if isinstance(domain, Category):
        return domain.values
    return tuple((domain.low + np.array([0.0, *cuts, 1.0]) * (domain.high - domain.low)).tolist())


def _error(variance: Floats) -> float | None:
    return None if np.isnan(variance[0]) else float(np.sqrt(max(float(variance[0]), 0.0)))
