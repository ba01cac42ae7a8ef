"""A model of probabilities: for each class a function of public features plus the effects of private ones."""

from __future__ import annotations

import numpy as np
from msgspec import Struct, structs

from semildp._arrays import Floats
from semildp.models.additive import AdditiveBody
from semildp.study import Number, Study


class ClassesBody(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="classes"):
    """Scores of classes, trusted as far as reports bear them out.

    Parameters
    ----------
    prior
        Estimated share of each class.
    trust, floor
        See `probabilities`.
    bodies
        Predicts 1{label = c} for each class c; of two classes there is the second alone.
    """

    prior: tuple[float, ...]
    trust: float
    floor: float
    bodies: tuple[AdditiveBody, ...]

    def predict_proba(self, study: Study, X: Floats) -> tuple[Floats, Floats]:
        """Return probabilities (one column per class) and their variances, NaN where they were not estimated."""
        view, prior = class_view(study), np.asarray(self.prior)
        found = [body.predict(view, X) for body in self.bodies]
        scores, variances = (np.stack([each[k] for each in found], axis=-1) for k in range(2))
        spread = variances if len(self.bodies) > 1 else np.repeat(variances, 2, axis=-1)
        factor = ((1 - self.floor) * self.trust) ** 2
        return probabilities(all_scores(scores), prior, self.trust, self.floor), factor * spread


def class_view(study: Study) -> Study:
    """Return the study of the number 1{label = c}, for any class c."""
    return structs.replace(study, label=Number(0.0, 1.0))


def all_scores(scores: Floats) -> Floats:
    """Return scores of all classes (last axis); of one alone it is the second of two, and the first is 1 less it."""
    return np.concatenate([1 - scores, scores], axis=-1) if scores.shape[-1] == 1 else scores


def probabilities(scores: Floats, prior: Floats, trust: float, floor: float) -> Floats:
    """Return (1 - floor) q + floor * prior, q being the nearest probabilities to prior + trust * (scores - prior).

    Classes are the last axis. With a floor above 0 all are above 0; with trust 0 they are the prior.
    """
    return np.asarray((1 - floor) * to_simplex(prior + trust * (scores - prior)) + floor * prior)


def to_simplex(scores: Floats) -> Floats:
    """Return the nearest numbers that are not negative and add up to 1, along the last axis (Wang et al. 2020)."""
    size = scores.shape[-1]
    ordered = np.sort(scores, axis=-1)[..., ::-1]
    excess = (np.cumsum(ordered, axis=-1) - 1) / np.arange(1, size + 1)
    last = (ordered > excess).sum(axis=-1, keepdims=True) - 1
    return np.asarray(np.maximum(scores - np.take_along_axis(excess, last, axis=-1), 0.0))
