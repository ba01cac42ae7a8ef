"""The model: a study, who spent what in it, and the numbers it predicts from."""

from __future__ import annotations

import msgspec
import numpy as np
from msgspec import Struct

from semildp._arrays import Floats
from semildp._checks import as_array
from semildp.errors import InputError, refusal
from semildp.models.additive import AdditiveBody, OpaqueBody
from semildp.models.cells import CellBody
from semildp.models.class_cells import ClassCellBody
from semildp.models.classes import ClassesBody
from semildp.models.density import DensityBody
from semildp.models.tree import TreeBody
from semildp.study import Study
from semildp.wire.codec import decode, encode
from semildp.wire.messages import VERSION

NumberBody = CellBody | TreeBody | AdditiveBody
ClassBody = ClassesBody | ClassCellBody
Body = NumberBody | ClassBody | DensityBody


class Spent(Struct, frozen=True, forbid_unknown_fields=True):
    """People who hide the same number of features and spent the same: on the label alone, and on features.

    Where feature and label are sent together, the whole is counted as spent on features.
    """

    n_private: int
    n_people: int
    label_epsilon: float
    feature_epsilon: float

    @property
    def total(self) -> float:
        """What one of them spent in all."""
        return self.label_epsilon + self.feature_epsilon


class Model(Struct, frozen=True, forbid_unknown_fields=True, tag_field="message", tag="model"):
    """What a study has taught: it predicts, travels as JSON, and holds no report and no seed.

    Parameters
    ----------
    study
        The public document it comes from.
    spent
        Who spent what.
    body
        The numbers it predicts from: of a label that is a number, of one that is a class, or of a density.
    """

    study: Study
    spent: tuple[Spent, ...]
    body: CellBody | TreeBody | AdditiveBody | ClassesBody | ClassCellBody | DensityBody
    version: int = VERSION

    def predict(self, X: Floats) -> tuple[Floats, Floats]:
        """Return mean and variance of the label for rows of features as numbers; NaN is a missing entry.

        Features outside their bounds count as on the bound. The variance is the mean square of E[label | x] less the
        prediction, as far as it is known; NaN where it was not estimated. It is at
        most what it would be if E[label | x] lay at the farther label bound.
        """
        mean, variance = self._number.predict(self.study, self._rows(X))
        return mean, _within(mean, variance, *self.study.label_bounds)

    def mean(self, X: Floats) -> Floats:
        """Return the means alone, which is quicker."""
        return self._number.mean(self.study, self._rows(X))

    def interval(self, X: Floats, coverage: float) -> tuple[Floats, Floats]:
        """Return the ends of intervals, around the means and within the label bounds, that hold E[label | x].

        They do so with probability `coverage`, averaged over people and studies; NaN where that is not known.
        """
        mean, half = self._number.around(self.study, self._rows(X), coverage)
        low, high = self.study.label_bounds
        return np.maximum(mean - half, low), np.minimum(mean + half, high)

    def predict_proba(self, X: Floats) -> tuple[Floats, Floats]:
        """Return the probability of each class (column) and the mean square of its error; NaN where it is not known.

        Rows are as `predict` takes them.
        """
        found, variance = self._classes.predict_proba(self.study, self._rows(X))
        return found, _within(found, variance, 0.0, 1.0)

    def probabilities(self, X: Floats) -> Floats:
        """Return the probability of each class (column) alone, which is quicker."""
        return self._classes.probabilities_at(self.study, self._rows(X))

    def proba_interval(self, X: Floats, coverage: float) -> tuple[Floats, Floats]:
        """Return the ends of intervals, one column per class, that hold P(class | x) with probability `coverage`.

        NaN where that is not known.
        """
        found, half = self._classes.around(self.study, self._rows(X), coverage)
        return np.maximum(found - half, 0.0), np.minimum(found + half, 1.0)

    def log_density(self, X: Floats) -> Floats:
        """Return the log density of rows of features as numbers; a missing entry (NaN) is integrated out.

        It is with respect to length in each number's own unit, and to counting in a category's values.
        """
        return self.density.log_density(self.study, self._rows(X))

    @property
    def density(self) -> DensityBody:
        """The body of a model of a density; another is refused."""
        if not isinstance(self.body, DensityBody):
            raise refusal("a model", "of a density", self._kind, self._advice)
        return self.body

    @property
    def _number(self) -> NumberBody:
        """The body of a model of a number; another is refused."""
        if isinstance(self.body, ClassBody | DensityBody):
            raise refusal("a model", "of a number to predict it", self._kind, self._advice)
        return self.body

    @property
    def _classes(self) -> ClassBody:
        """The body of a model of classes; another is refused."""
        if not isinstance(self.body, ClassBody):
            raise refusal("a model", "of classes to predict probabilities", self._kind, self._advice)
        return self.body

    @property
    def _kind(self) -> str:
        if isinstance(self.body, DensityBody):
            return "a density"
        return "classes" if isinstance(self.body, ClassBody) else "a number"

    @property
    def _advice(self) -> str:
        return {"a density": "Use log_density.", "classes": "Use predict_proba."}.get(self._kind, "Use predict.")

    def _rows(self, X: Floats) -> Floats:
        """Return rows that have the study's columns; moved into the bounds unless the body does so itself."""
        rows = as_array("X", X, "fiub", 2, "a two-dimensional array of numbers").astype(np.float64, copy=False)
        if rows.shape[1] != len(self.study.features):
            raise refusal("X", f"of {len(self.study.features)} columns", f"shape {rows.shape}")
        if isinstance(self.body, CellBody | ClassCellBody | DensityBody):  # look at rows a slice at a time
            return rows
        return np.asarray(np.clip(rows, self.study.bounds.low, self.study.bounds.high))

    def to_json(self) -> bytes:
        """Return the model as JSON; numbers survive the round trip bit for bit."""
        body = self.body.bodies[0] if isinstance(self.body, ClassesBody) else self.body
        if isinstance(body, OpaqueBody):
            learner = getattr(body.learned, "classifier", body.learned)
            learner = getattr(learner, "steps", [("", learner)])[-1][1]  # of a pipeline, what comes after filling in
            raise InputError(
                "A model can be written as JSON if its learner is the default. Got "
                f"{type(learner).__name__}. Leave `learner` out, or pickle the estimator."
            )
        return encode(self)

    @classmethod
    def from_json(cls, raw: bytes) -> Model:
        """Read a model; another version, a missing or an unknown field is refused."""
        return decode(raw, cls)

    def replace(self, spent: tuple[Spent, ...]) -> Model:
        """Return the model with the account of who spent what."""
        return msgspec.structs.replace(self, spent=spent)


def _within(mean: Floats, variance: Floats, low: float, high: float) -> Floats:
    """Return mean squares of errors, none larger than if the truth lay at the farther bound."""
    return np.asarray(np.minimum(variance, np.maximum(mean - low, high - mean) ** 2))


def model_of(study: Study, body: Body | OpaqueBody) -> Model:
    """Return a model whose account is still to be written; an opaque body can be used but not written as JSON."""
    return Model(study, (), body)  # type: ignore[arg-type]
