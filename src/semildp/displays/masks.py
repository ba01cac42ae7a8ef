"""MasksDisplay: who hides what: the share of people for each feature, and which features are hidden together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from semildp._arrays import Bools
from semildp._checks import short
from semildp.errors import refusal
from semildp.estimators.drawing import BLUE, GREY, LONGEST, head, need_matplotlib, panels_on, shortened
from semildp.masks import check_mask

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_FEATURES, _PATTERNS = 24, 12  # that are drawn, the most frequent ones


class MasksDisplay:
    """Who hides what. Masks are public: nothing private is drawn. Needs matplotlib.

    Two panels: for each feature the share of people who hide it; and the patterns that occur most, each a column with
    a dot for every feature that is hidden, above it the share of people who hide just these.

    Parameters
    ----------
    mask
        One row per person, True where the feature is private.
    names
        What features are called.

    Attributes
    ----------
    shares_
        Share of people who hide each feature.
    patterns_
        The patterns that are drawn, as (features that are hidden, share of people), the most frequent first.
    figure_, axes_
        The figure and its two panels, once drawn.
    """

    def __init__(self, mask: Any, names: Sequence[str] | None = None) -> None:
        required = "a table, one row per person and one column per feature"
        shape = np.shape(mask)
        if len(shape) != 2 or not shape[0] or not shape[1]:
            raise refusal("mask", required, short(mask) if not shape else f"shape {shape}")
        self.mask: Bools = check_mask(mask, *shape)
        self.names = tuple(f"x{j}" for j in range(shape[1])) if names is None else tuple(map(str, names))
        if len(self.names) != shape[1]:
            raise refusal("names", f"{shape[1]} names, one per feature", f"{len(self.names)}")
        self.shares_ = self.mask.mean(axis=0)
        rows, counts = np.unique(self.mask, axis=0, return_counts=True)
        order = np.lexsort((rows.sum(axis=1), -counts))[:_PATTERNS]
        self.patterns_ = tuple((tuple(np.flatnonzero(rows[k]).tolist()), float(counts[k] / shape[0])) for k in order)

    @classmethod
    def from_mask(cls, mask: Any, names: Sequence[str] | None = None, ax: Any = None) -> Self:
        """Draw a mask.

        Parameters
        ----------
        mask
            One row per person, 1 where the feature is private. A data frame has names already.
        names
            What features are called.
        ax
            One subplot, which is divided, or two axes. None: a new figure.
        """
        columns = getattr(mask, "columns", None)
        if names is None and columns is not None:
            names = list(columns)
        return cls(np.asarray(mask), names).plot(ax)

    @classmethod
    def from_estimator(cls, estimator: Any, mask: Any = None, ax: Any = None) -> Self:
        """Draw the mask that an estimator was fitted with.

        Parameters
        ----------
        estimator
            A fitted estimator of this package.
        mask
            The mask that was passed to `fit`, which estimators do not keep. None: the features that everyone hides.
        ax
            As in `from_mask`.
        """
        if not hasattr(estimator, "fit"):
            raise refusal("estimator", "a fitted estimator of semildp", short(estimator))
        check_is_fitted(estimator)
        study = getattr(estimator, "study_", None)
        if study is None:
            raise refusal("estimator", "a fitted estimator of semildp", f"a {type(estimator).__name__}")
        if mask is None:
            mask = [[feature.private for feature in study.features]]
        return cls.from_mask(np.asarray(mask), study.names, ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw both panels."""
        need_matplotlib("MasksDisplay")
        left, right = panels_on(ax, 2)
        shown = np.sort(np.argsort(-self.shares_, kind="stable")[:_FEATURES])
        self._draw_shares(left, shown.tolist())
        self._draw_patterns(right, shown.tolist())
        self.axes_: Any = np.array([left, right], dtype=object)
        self.figure_: Figure = left.get_figure(root=True)  # type: ignore[assignment]
        return self

    def _draw_shares(self, panel: Axes, shown: list[int]) -> None:
        """Draw a bar for each feature."""
        places = range(len(shown))
        panel.barh(places, 100 * self.shares_[shown], color=BLUE, height=0.7)
        for place, share in zip(places, self.shares_[shown], strict=True):
            panel.text(100 * share + 1, place, f"{100 * share:.0f} %", va="center", fontsize="small")
        self._name_features(panel, shown)
        panel.set_xlim(0, 118)
        panel.set_xticks([0, 25, 50, 75, 100])
        panel.set_xlabel("people who hide it, %")
        panel.spines[["top", "right"]].set_visible(False)
        below = "everyone hides the same" if len(self.patterns_) == 1 else f"{len(self.mask):,} people"
        if len(shown) < len(self.names):
            below += f"; the {len(shown)} that are hidden most, of {len(self.names)}"
        head(panel, "Hidden features", below)

    def _draw_patterns(self, panel: Axes, shown: list[int]) -> None:
        """Draw a column of dots for each pattern."""
        for column, (hidden, share) in enumerate(self.patterns_):
            dots = [place for place, j in enumerate(shown) if j in hidden]
            panel.plot([column] * len(shown), range(len(shown)), "o", color="#DDDDDD", markersize=7, zorder=1)
            panel.plot([column] * len(dots), dots, "o-", color=BLUE, markersize=7, linewidth=1.5, zorder=2)
            panel.text(column, -0.75, f"{100 * share:.0f}" if share >= 0.005 else "<1", ha="center", fontsize="small")
        self._name_features(panel, shown)
        panel.set_xlim(-0.6, len(self.patterns_) - 0.4)
        panel.set_ylim(len(shown) - 0.4, -1.3)
        panel.set_xticks([])
        panel.tick_params(axis="y", length=0)
        panel.spines[["top", "right", "bottom", "left"]].set_visible(False)
        rest = 1 - sum(share for _, share in self.patterns_)
        below = "numbers: % of people" + (f"; {100 * rest:.0f} % have others" if rest > 0.005 else "")
        panel.set_xlabel("patterns, the most frequent first", color=GREY)
        head(panel, "Hidden together", below)

    def _name_features(self, panel: Axes, shown: list[int]) -> None:
        """Write names beside rows, the first on top."""
        panel.set_yticks(range(len(shown)), [shortened(self.names[j], 2 * LONGEST) for j in shown])
        panel.set_ylim(len(shown) - 0.4, -0.6)
