"""From a fitted default learner to plain numbers."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import RandomForestRegressor
from sklearn.preprocessing import SplineTransformer

from semildp.curator.learning.noisy_label_average import NoisyLabelAverage
from semildp.models.learned import Average, Forest, Linear, Numbers, Splines
from semildp.models.tree import TreeArrays


def learned(learner: Any) -> Average | None:
    """Return what the default learner has learnt as plain numbers; None for any other learner."""
    if not isinstance(learner, NoisyLabelAverage):
        return None
    members = [_member(member) for member in learner.members_] if learner.trust_ else []
    columns, weights = tuple(learner.columns_.tolist()), tuple(learner.weights_.tolist())
    return Average(columns, learner.mean_, learner.trust_, weights if members else (), tuple(members))


def _member(pipeline: Any) -> Linear | Splines | Forest:
    steps = [step for _, step in pipeline.steps]
    fill = _numbers(steps[0].statistics_)
    if isinstance(steps[-1], RandomForestRegressor):
        return Forest(fill, tuple(TreeArrays.of(tree) for tree in steps[-1].estimators_))
    scaler, ridge = steps[-2], steps[-1]
    line = (_numbers(scaler.mean_), _numbers(scaler.scale_), _numbers(ridge.coef_), float(ridge.intercept_))
    if isinstance(steps[1], SplineTransformer):
        splines = steps[1].bsplines_
        return Splines(fill, tuple(_numbers(s.t) for s in splines), int(splines[0].k), *line)
    return Linear(fill, *line)


def _numbers(array: Any) -> Numbers:
    return tuple(float(x) for x in array)
