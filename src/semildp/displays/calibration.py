"""CalibrationDisplay: of people to whom a class is given some probability, the share who are in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from semildp._arrays import Floats
from semildp._checks import short, whole_number
from semildp.errors import refusal
from semildp.estimators.drawing import GREY, LINES, LONGEST, MARKS, head, need_matplotlib, panels_on, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_Z = 2.0  # bars: Wilson's interval at so many standard errors
Bin = tuple[float, float, int]  # mean probability, share in the class, people


class CalibrationDisplay:
    """Predicted probability against how often it came true, a line for each class. Needs matplotlib.

    On the diagonal, predictions mean what they say. Bars are Wilson's intervals, at two standard errors: a line that
    leaves the diagonal by more is no accident. With two classes only the second is drawn: the first is its mirror.

    Parameters
    ----------
    bins
        By class: mean predicted probability, share of people in the class, and how many people, for each bin.

    Attributes
    ----------
    figure_, ax_
        The figure and the axes, once drawn.
    """

    def __init__(self, bins: dict[str, list[Bin]]) -> None:
        self.bins = bins

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, n_bins: int = 10, ax: Any = None) -> Self:
        """Draw the calibration of a fitted classifier on rows whose classes are known.

        Parameters
        ----------
        estimator
            Any fitted classifier with `predict_proba` and `classes_`.
        X, y
            Rows and classes that nobody hides: a test set, or a simulation.
        n_bins
            How many bins, with as many people in each.
        ax
            Axes to draw on. None: a new figure.
        """
        if not hasattr(estimator, "predict_proba"):
            raise refusal("estimator", "a fitted classifier with predict_proba", f"a {type(estimator).__name__}")
        check_is_fitted(estimator)
        return cls.from_predictions(y, estimator.predict_proba(X), list(estimator.classes_), n_bins=n_bins, ax=ax)

    @classmethod
    def from_predictions(
        cls, y: Any, probabilities: Any, classes: Sequence[Any] = (0, 1), *, n_bins: int = 10, ax: Any = None
    ) -> Self:
        """Draw predicted probabilities, one column per class; of two classes, those of the second are enough."""
        whole_number("n_bins", n_bins, 1, 1000)
        table, labels = np.asarray(probabilities, dtype=np.float64), np.asarray(y)
        if table.ndim == 1:
            table = np.column_stack([1 - table, table])
        required = f"{len(labels)} rows of {len(classes)} probabilities"
        if table.shape != (len(labels), len(classes)) or not len(labels):
            raise refusal("probabilities", required, f"shape {table.shape}")
        if not ((table >= 0) & (table <= 1)).all():
            raise refusal("probabilities", "numbers from 0 to 1", "others")
        unknown = sorted(set(map(str, labels.tolist())) - set(map(str, classes)))
        if unknown:
            raise refusal("y", f"among the classes {short(list(classes))}", short(unknown[0]))
        words, names = np.array(list(map(str, labels.tolist()))), [str(each) for each in classes]
        drawn = range(1, 2) if len(names) == 2 else range(len(names))
        return cls({names[c]: binned(table[:, c], words == names[c], n_bins) for c in drawn}).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on `ax`, or on new axes."""
        need_matplotlib("CalibrationDisplay")
        (panel,) = panels_on(ax, 1)
        panel.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1.2, label="as it says")
        for at, (name, bins) in enumerate(self.bins.items()):
            predicted, share = np.array([b[0] for b in bins]), np.array([b[1] for b in bins])
            ends = np.array([wilson(b[1], b[2]) for b in bins]).T
            bars = np.abs(np.vstack([share - ends[0], ends[1] - share]))
            colour, mark = LINES[at % len(LINES)], MARKS[at % len(MARKS)]
            name = f"class {shortened(name, LONGEST)}"
            panel.errorbar(predicted, share, yerr=bars, color=colour, marker=mark, capsize=3, linewidth=1.8, label=name)
        panel.set_xlim(0, 1)
        panel.set_ylim(0, 1)
        panel.set_aspect("equal")
        panel.set_xlabel("predicted probability")
        panel.set_ylabel("share of people in the class")
        panel.spines[["top", "right"]].set_visible(False)
        panel.legend(frameon=False, fontsize="small", loc="upper left")
        head(panel, "Calibration", "bars: 95 % intervals of the share")
        self.ax_: Axes = panel
        self.figure_: Figure = panel.get_figure(root=True)  # type: ignore[assignment]
        return self


def binned(probability: Floats, inside: Any, n_bins: int) -> list[Bin]:
    """Divide people into bins of equal size by their probability; equal ones stay in one bin."""
    order = np.argsort(probability, kind="stable")
    sorted_ = probability[order]
    ends = [round(k * len(order) / n_bins) for k in range(1, n_bins)]
    cuts = sorted({int(np.searchsorted(sorted_, sorted_[e], side="left")) for e in ends if 0 < e < len(order)} - {0})
    parts = np.split(order, cuts)
    return [(float(probability[p].mean()), float(np.mean(np.asarray(inside)[p])), len(p)) for p in parts if len(p)]


def wilson(share: float, n: int) -> tuple[float, float]:
    """Return Wilson's interval of a share among n people."""
    middle = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * np.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    return float(max(middle - half, 0.0)), float(min(middle + half, 1.0))
