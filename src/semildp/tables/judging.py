"""How well a rehearsed model predicts for people who were not asked: beside what a constant would do."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

import numpy as np

from semildp._arrays import Floats
from semildp.models import Model
from semildp.study import Classes

_WIDTH = 100


@dataclass(frozen=True)
class Judged:
    """Errors on people who were not asked. They look at raw labels, which a curator never has.

    Parameters
    ----------
    people
        How many there are; errors are NaN for nobody.
    error, constant
        Of the model; and of the best constant for those who were asked, known without noise. For a number, the root
        mean square distance from the label, and the constant is the mean. For classes, the mean of -log(probability of
        the own class), and the constant is the shares of classes.
    right, common
        For classes, how often the likeliest class is the person's; and how often the most common one is. Else None.
    """

    people: int
    error: float
    constant: float
    right: float | None = None
    common: float | None = None

    def lines(self) -> list[str]:
        """Say it in words; nothing where nobody was kept back."""
        if not self.people:
            return []
        kept = "1 person was" if self.people == 1 else f"{self.people:,} people were"
        who = f"{kept} kept back. For them, "
        if self.right is None or self.common is None:
            return textwrap.wrap(
                f"{who}predictions are off by {self.error:.3g} (root mean square); the plain mean of all labels, "
                f"without noise, would be off by {self.constant:.3g}.",
                _WIDTH,
            )
        return textwrap.wrap(
            f"{who}the likeliest class is right for {self.right:.1%}; the most common class would be for "
            f"{self.common:.1%}. The log loss of probabilities is {self.error:.3g}; that of the plain shares of "
            f"classes, without noise, would be {self.constant:.3g}.",
            _WIDTH,
        )


def judge(model: Model, rows: Floats, labels: Floats, asked: Floats) -> Judged:
    """Compare predictions for `rows` with their labels; `asked` are the labels of those who were asked.

    Classes are given by their places in the list.
    """
    if not isinstance(model.study.label, Classes):
        predicted = model.predict(rows)[0]
        return Judged(len(labels), _apart(labels, predicted), _apart(labels, float(asked.mean())))
    probabilities, own = model.predict_proba(rows)[0], labels.astype(np.int64)
    counts = np.bincount(asked.astype(np.int64), minlength=len(model.study.label.values)).astype(np.float64)
    shares = (counts + 0.5) / (counts + 0.5).sum()  # a class that nobody asked has is not impossible
    if not len(own):
        return Judged(0, float("nan"), float("nan"), float("nan"), float("nan"))
    return Judged(
        len(own),
        float(-np.log(probabilities[np.arange(len(own)), own]).mean()),
        float(-np.log(shares[own]).mean()),
        float((probabilities.argmax(axis=1) == own).mean()),
        float((own == counts.argmax()).mean()),
    )


def _apart(labels: Floats, predicted: Floats | float) -> float:
    return float(np.sqrt(np.mean((labels - predicted) ** 2))) if len(labels) else float("nan")
