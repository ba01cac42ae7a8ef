"""ImportanceDisplay: how much of the variance each feature explains, as far as reports tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from sklearn.utils.validation import check_is_fitted

from semildp._checks import short
from semildp.displays.explaining import (
    LABEL,
    LEFT,
    PREDICTED,
    Importance,
    cells_explain,
    columns_explain,
    effects_explain,
)
from semildp.errors import refusal
from semildp.estimators.drawing import BLUE, LONGEST, ORANGE, head, need_matplotlib, panels_on, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SHOWN = 24  # bars at most
_FITTED = "a fitted SemiPrivateRegressor or HistOfTreeRegressor"
__all__ = ["LABEL", "LEFT", "PREDICTED", "Importance", "ImportanceDisplay"]


class ImportanceDisplay:
    """How much of the variance each feature explains, the most important first. Needs matplotlib.

    Parameters
    ----------
    importances
        What is drawn: name, share, standard error (None where it is not known), and whether the feature is private.
    of
        Of which variance they are shares.

    Attributes
    ----------
    figure_, ax_
        The figure and the axes, once drawn.
    """

    def __init__(self, importances: Sequence[Importance], of: str) -> None:
        self.importances = tuple(sorted(importances, key=lambda each: -each.share))
        self.of = of

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, ax: Any = None) -> Self:
        """Draw what the features of a fitted estimator explain.

        Of a `SemiPrivateRegressor`, without `X`: effects of private features, as shares of the variance that the public
        prediction leaves, from reports alone, with standard errors. With `X`, public features too, as shares of the
        label's variance. Of a `HistOfTreeRegressor`: what each feature alone explains of the variance of predictions,
        over the people as estimated; from reports alone, and without standard errors.

        Parameters
        ----------
        estimator
            A fitted `SemiPrivateRegressor` or `HistOfTreeRegressor`.
        X
            Rows with public features, of a `SemiPrivateRegressor` only; private ones may be missing.
        ax
            Axes to draw on. None: a new figure.
        """
        if not hasattr(estimator, "fit"):
            raise refusal("estimator", _FITTED, short(estimator))
        check_is_fitted(estimator)
        if hasattr(estimator, "partition_") and hasattr(estimator, "estimate_"):
            if X is not None:
                raise refusal("X", "None for a HistOfTreeRegressor", "rows", "Its cells tell where people are.")
            return cls(cells_explain(estimator), PREDICTED).plot(ax)
        if not hasattr(estimator, "effects_") or not hasattr(estimator, "waves_"):
            raise refusal("estimator", _FITTED, f"a {type(estimator).__name__}")
        if X is None:
            return cls(effects_explain(estimator), LEFT).plot(ax)
        return cls(columns_explain(estimator, X), LABEL).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on `ax`, or on new axes."""
        need_matplotlib("ImportanceDisplay")
        from matplotlib.patches import Patch

        (panel,) = panels_on(ax, 1)
        shown = self.importances[:_SHOWN]
        for place, each in enumerate(shown):
            panel.barh(place, 100 * each.share, color=ORANGE if each.private else BLUE, height=0.7)
            if each.standard_error is not None:
                panel.errorbar(100 * each.share, place, xerr=200 * each.standard_error, color="black", capsize=3)
        panel.set_yticks(range(len(shown)), [shortened(each.name, 3 * LONGEST) for each in shown])
        panel.set_ylim(max(len(shown), 1) - 0.4, -0.6)
        panel.set_xlim(left=0.0)
        panel.set_xlabel(f"% of {self.of}")
        panel.spines[["top", "right"]].set_visible(False)
        kinds = {True: ("private", ORANGE), False: ("public", BLUE)}
        present = [kinds[k] for k in (True, False) if any(each.private is k for each in shown)]
        if len(present) > 1:
            panel.legend(
                handles=[Patch(color=c, label=f"{k} feature") for k, c in present], frameon=False, loc="lower right"
            )
        known = any(each.standard_error is not None for each in shown)
        below = "bars: ± 2 standard errors" if known else ""
        if not shown:
            panel.text(0.5, 0.5, "No feature explains anything.", ha="center", transform=panel.transAxes)
        head(panel, "What features explain", below)
        self.ax_: Axes = panel
        self.figure_: Figure = panel.get_figure(root=True)  # type: ignore[assignment]
        return self
