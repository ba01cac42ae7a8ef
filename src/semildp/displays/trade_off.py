"""TradeOffDisplay: error against epsilon, of fitted estimators or of a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from semildp._checks import short
from semildp.errors import refusal
from semildp.estimators.drawing import GREY, LINES, MARKS, head, need_matplotlib, panels_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Points = Sequence[tuple[float, float, float | None]]  # epsilon, error, standard error


class Planned(Protocol):
    """What is read of a plan."""

    rows: Any
    assumed: Any
    n_people: int


class TradeOffDisplay:
    """Error against epsilon, a line for each method. Needs matplotlib.

    More epsilon is less privacy and, on average, less error: the picture says how much one costs of the other.

    Parameters
    ----------
    lines
        By method: epsilon, error and its standard error (None: not known), in any order.
    reference
        Error of predicting the mean; None: not known.
    unit
        What the error is, as it is written beside the axis.
    below
        A line below the title.

    Attributes
    ----------
    figure_, ax_
        The figure and the axes, once drawn.
    """

    def __init__(
        self, lines: Mapping[str, Points], reference: float | None = None, unit: str = "error", below: str = ""
    ) -> None:
        self.lines = {name: sorted(points) for name, points in lines.items()}
        self.reference = reference
        self.unit = unit
        self.below = below

    @classmethod
    def from_plan(cls, plan: Planned, ax: Any = None) -> Self:
        """Draw what a plan of `semildp.plan` expects; bars are two standard errors of the simulation."""
        rows = getattr(plan, "rows", None)
        if not rows or not hasattr(plan, "assumed"):
            raise refusal("plan", "what semildp.plan returns", short(plan))
        lines = {
            method: [(row.epsilon, row.errors[method].mean, row.errors[method].standard_error) for row in rows]
            for method in rows[0].errors
        }
        told = f"planned for {plan.n_people:,} people"
        return cls(lines, plan.assumed.most, "expected error / variance of the label", told).plot(ax)

    @classmethod
    def from_estimators(cls, estimators: Any, X: Any, y: Any, ax: Any = None) -> Self:
        """Draw the mean squared error of fitted estimators on rows whose labels are known.

        Parameters
        ----------
        estimators
            Fitted estimators with an `epsilon`; those of one class are one line. Several with the same epsilon are
            averaged.
        X, y
            Rows and labels that nobody hides: a test set, or a simulation.
        ax
            Axes to draw on. None: a new figure.
        """
        if not isinstance(estimators, list | tuple) or not estimators:
            raise refusal("estimators", "a list of fitted estimators", short(estimators))
        labels = np.asarray(y, dtype=np.float64)
        found: dict[str, dict[float, list[float]]] = {}
        for each in estimators:
            if not hasattr(each, "epsilon") or not hasattr(each, "predict"):
                raise refusal("estimators", "estimators with an epsilon", f"a {type(each).__name__}")
            check_is_fitted(each)
            error = float(np.mean((np.asarray(each.predict(X)) - labels) ** 2))
            found.setdefault(type(each).__name__, {}).setdefault(float(each.epsilon), []).append(error)
        lines = {
            name: [(e, float(np.mean(errors)), _standard_error(errors)) for e, errors in by_epsilon.items()]
            for name, by_epsilon in found.items()
        }
        return cls(lines, float(labels.var()), "mean squared error", f"on {len(labels):,} rows").plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on `ax`, or on new axes."""
        need_matplotlib("TradeOffDisplay")
        from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

        (panel,) = panels_on(ax, 1)
        for at, (name, points) in enumerate(self.lines.items()):
            epsilon, error = [p[0] for p in points], [p[1] for p in points]
            bars = [2 * (p[2] or 0.0) for p in points]
            colour, mark = LINES[at % len(LINES)], MARKS[at % len(MARKS)]
            panel.errorbar(epsilon, error, yerr=bars, color=colour, marker=mark, capsize=3, linewidth=2, label=name)
        if self.reference is not None:
            panel.axhline(self.reference, color=GREY, linestyle="--", linewidth=1.2, label="the mean alone", zorder=1)
        panel.set_xscale("log")
        every = sorted({p[0] for points in self.lines.values() for p in points})
        panel.xaxis.set_major_locator(FixedLocator(every))
        panel.xaxis.set_minor_locator(NullLocator())
        panel.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        panel.set_ylim(bottom=0.0)
        panel.set_xlabel("ε, what each person spends: less is more private")
        panel.set_ylabel(self.unit)
        panel.spines[["top", "right"]].set_visible(False)
        panel.legend(framealpha=0.9, edgecolor="none", fontsize="small")
        head(panel, "Error against privacy", self.below)
        self.ax_: Axes = panel
        self.figure_: Figure = panel.get_figure(root=True)  # type: ignore[assignment]
        return self


def _standard_error(errors: list[float]) -> float | None:
    return float(np.std(errors, ddof=1) / np.sqrt(len(errors))) if len(errors) > 1 else None
