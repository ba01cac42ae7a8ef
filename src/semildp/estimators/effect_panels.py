"""Drawing one effect: a curve with its band, points for the values of a category, or a heat map of two features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from semildp._arrays import Floats
from semildp.estimators.drawing import BLUE, COLOURS, GREY, LONGEST, feature_name, head, mark_axis, shortened
from semildp.models import Effect
from semildp.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DEVIATIONS = 2.0  # on either side, in bands and bars
_ADDED = "added to the prediction"


def draw_curve(panel: Axes, effect: Effect, study: Study) -> None:
    """Draw what a number adds: constant at each place, so steps look like steps."""
    edges = place_edges(effect, 0, study)
    value, band = effect.table, DEVIATIONS * effect.deviation
    panel.axhline(0.0, color=GREY, linewidth=0.8, zorder=1)
    lower, upper = ((np.append(v, v[-1])) for v in (value - band, value + band))
    panel.fill_between(edges, lower, upper, step="post", color=BLUE, alpha=0.2, linewidth=0)
    panel.stairs(value, edges, baseline=None, color=BLUE, linewidth=2.0, zorder=3)
    panel.set_xlim(edges[0], edges[-1])
    mark_axis(panel, "x", effect.features[0], study)
    _finish(panel, effect, study, "band")


def draw_values(panel: Axes, effect: Effect, study: Study) -> None:
    """Draw what each value of a category adds, with error bars."""
    places, bars = np.arange(len(effect.table)), DEVIATIONS * effect.deviation
    panel.axhline(0.0, color=GREY, linewidth=0.8, zorder=1)
    panel.errorbar(places, effect.table, yerr=bars, fmt="o", color=BLUE, capsize=3, markersize=6)
    panel.set_xlim(-0.5, len(places) - 0.5)
    mark_axis(panel, "x", effect.features[0], study)
    _finish(panel, effect, study, "bars")


def draw_map(panel: Axes, effect: Effect, study: Study) -> None:
    """Draw what two features add together: the first along x, the second along y, orange above 0 and violet below."""
    across, up = (place_edges(effect, axis, study) for axis in (0, 1))
    most = float(np.abs(effect.table).max()) or 1.0
    mesh = panel.pcolormesh(across, up, effect.table.T, cmap=COLOURS, vmin=-most, vmax=most, rasterized=True)
    bar = panel.figure.colorbar(mesh, ax=panel, label=_ADDED)
    bar.ax.tick_params(labelsize="small")
    for axis, feature in zip("xy", effect.features, strict=True):
        mark_axis(panel, axis, feature, study)
    panel.set_xlabel(feature_name(study, effect.features[0]))
    panel.set_ylabel(feature_name(study, effect.features[1]))
    both = " and ".join(shortened(study.names[j], LONGEST) for j in effect.features)
    head(panel, f"{both} together", f"standard deviation {_typical(effect):.2g} on average")


def place_edges(effect: Effect, axis: int, study: Study) -> Floats:
    """Return where an axis is cut, in the feature's own units; a category's places are 1 wide, around its codes."""
    feature = effect.features[axis]
    if study.n_values[feature] is not None:
        return np.arange(len(effect.shares[axis]) + 1, dtype=np.float64) - 0.5
    low, high = study.bounds.low[feature], study.bounds.high[feature]
    return np.asarray(low + np.array([0.0, *effect.cuts[axis], 1.0]) * (high - low))


def _finish(panel: Axes, effect: Effect, study: Study, drawn: str) -> None:
    name = feature_name(study, effect.features[0])
    panel.set_xlabel(name)
    panel.set_ylabel(_ADDED)
    panel.spines[["top", "right"]].set_visible(False)
    head(panel, f"{name} alone", f"{drawn}: ± {DEVIATIONS:g} standard deviations")


def _typical(effect: Effect) -> float:
    """Return the root mean square of the standard deviations over the people."""
    square = effect.deviation**2
    for shares in reversed(effect.shares):
        square = square @ np.asarray(shares)
    return float(np.sqrt(square))
