"""A model of probabilities: for each class a function of public features plus the effects of private ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct, structs

from semildp._arrays import Floats
from semildp.models.additive import CHUNK, AdditiveBody, errors_of
from semildp.models.bars import Errors
from semildp.models.saturation import bounded
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

    def probabilities_at(self, study: Study, X: Floats) -> Floats:
        """Return probabilities, one column per class."""
        view = class_view(study)
        scores = np.stack([body.mean(view, X) for body in self.bodies], axis=-1)
        return probabilities(all_scores(scores), np.asarray(self.prior), self.trust, self.floor)

    def predict_proba(self, study: Study, X: Floats) -> tuple[Floats, Floats]:
        """Return probabilities and the mean squares of their errors; NaN where these are not known."""
        return self._with_errors(study, X, lambda errors: errors.square)

    def around(self, study: Study, X: Floats, coverage: float) -> tuple[Floats, Floats]:
        """Return probabilities, and how far on either side of each the true one lies with this probability."""
        return self._with_errors(study, X, lambda errors: errors.within(coverage))

    def _with_errors(self, study: Study, X: Floats, read: Callable[[Errors], Floats]) -> tuple[Floats, Floats]:
        """Return probabilities, and what is read off the distribution of their errors; of two classes it is the same.

        A belief about 1{label = c} does not depend on what is predicted, so the part by which predictions were drawn to
        the prior counts as an error.
        """
        view, found = class_view(study), self.probabilities_at(study, X)
        error = np.full(found.shape, np.nan)
        for start in range(0, len(X), CHUNK):
            rows = slice(start, start + CHUNK)
            for own, body in enumerate(self.bodies, start=int(len(self.bodies) == 1)):
                known = errors_of(body, view, X[rows], found[rows, own])
                if known is not None:
                    error[rows, own] = read(bounded(known, body, found[rows, own]))
        if len(self.bodies) == 1:
            error[:, 0] = error[:, 1]
        return found, error


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
    if size == 2:
        second = np.clip((1 + scores[..., 1] - scores[..., 0]) / 2, 0.0, 1.0)
        return np.stack([1 - second, second], axis=-1)
    ordered = np.sort(scores, axis=-1)[..., ::-1]
    excess = (np.cumsum(ordered, axis=-1) - 1) / np.arange(1, size + 1)
    last = (ordered > excess).sum(axis=-1, keepdims=True) - 1
    return np.asarray(np.maximum(scores - np.take_along_axis(excess, last, axis=-1), 0.0))
