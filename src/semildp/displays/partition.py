"""PartitionDisplay: the cells of two features, with their prediction or the share of people in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from semildp._arrays import Floats
from semildp._checks import one_of, short
from semildp.errors import refusal
from semildp.estimators.drawing import feature_name, head, mark_axis, need_matplotlib, panels_on
from semildp.estimators.names import listed
from semildp.partition import Partition
from semildp.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN = ("prediction", "people")
_WRITTEN = 36  # rectangles whose number is written into them, at most


class PartitionDisplay:
    """The partition of a fitted `HistOfTreeRegressor` over two features; the others are averaged over.

    Every rectangle is where cells lie over these two features. Its colour is the prediction, averaged over the people
    of these cells as for a person whose other features are missing, or the estimated share of people in it: those of a
    cell that lies over several rectangles are taken to be spread evenly. Needs matplotlib.

    Parameters
    ----------
    edges
        Where each of the two axes is cut, in the feature's own units; a category's values are 1 wide.
    prediction, people
        What is drawn: for each place of the first feature (rows) and of the second (columns).
    features, study
        Indices of the two features, and the study with their names.
    shown
        "prediction" or "people".

    Attributes
    ----------
    figure_, ax_
        The figure and the axes, once drawn.
    """

    def __init__(
        self,
        edges: tuple[Floats, Floats],
        prediction: Floats,
        people: Floats,
        features: tuple[int, int],
        study: Study,
        shown: str = "prediction",
    ) -> None:
        self.edges = edges
        self.prediction = prediction
        self.people = people
        self.features = features
        self.study = study
        self.shown = shown

    @classmethod
    def from_estimator(cls, estimator: Any, features: Any = None, *, shown: str = "prediction", ax: Any = None) -> Self:
        """Draw the partition of a fitted estimator.

        Parameters
        ----------
        estimator
            A fitted `HistOfTreeRegressor`.
        features
            Two names or indices. None: the two that are cut into most places.
        shown
            "prediction", or "people": the share of them in each rectangle.
        ax
            Axes to draw on. None: a new figure.
        """
        required = "a fitted HistOfTreeRegressor"
        if not hasattr(estimator, "fit"):
            raise refusal("estimator", required, short(estimator))
        check_is_fitted(estimator)
        partition, estimate = getattr(estimator, "partition_", None), getattr(estimator, "estimate_", None)
        if not isinstance(partition, Partition) or estimate is None:
            raise refusal("estimator", required, f"a {type(estimator).__name__}", "Others have no partition.")
        study: Study = estimator.study_
        if len(study.features) < 2:
            raise refusal("estimator", "fitted to two features or more", "one feature")
        one_of("shown", shown, SHOWN)
        places = [feature_edges(partition, study, j) for j in range(len(study.features))]
        chosen = _chosen(features, study, places)
        edges = places[chosen[0]], places[chosen[1]]
        queries = _middles(study, chosen, edges)
        prediction = np.asarray(estimator.model_.predict(queries)[0])
        area = np.outer(np.diff(edges[0]), np.diff(edges[1])).ravel()
        people = people_in(partition, queries, np.maximum(np.asarray(estimate.counts), 0.0), area)
        people = people / max(people.sum(), 1e-300)
        shape = len(edges[0]) - 1, len(edges[1]) - 1
        return cls(edges, prediction.reshape(shape), people.reshape(shape), chosen, study, shown).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on `ax`, or on new axes."""
        need_matplotlib("PartitionDisplay")
        (panel,) = panels_on(ax, 1)
        table = self.prediction if self.shown == "prediction" else 100 * self.people
        colours, low = ("cividis", None) if self.shown == "prediction" else ("Blues", 0.0)
        mesh = panel.pcolormesh(*self.edges, table.T, cmap=colours, vmin=low, edgecolors="white", linewidth=0.8)
        bar = panel.figure.colorbar(mesh, ax=panel, label="prediction" if self.shown == "prediction" else "% of people")
        bar.ax.tick_params(labelsize="small")
        for axis, feature in zip("xy", self.features, strict=True):
            mark_axis(panel, axis, feature, self.study)
        panel.set_xlabel(feature_name(self.study, self.features[0]))
        panel.set_ylabel(feature_name(self.study, self.features[1]))
        self._write(panel, table, mesh)
        head(panel, "Cells of the partition", "averaged over the other features")
        self.ax_: Axes = panel
        self.figure_: Figure = panel.get_figure(root=True)  # type: ignore[assignment]
        return self

    def _write(self, panel: Axes, table: Floats, mesh: Any) -> None:
        """Write numbers into rectangles, dark on light and light on dark, if there are not too many."""
        if table.size > _WRITTEN:
            return
        x, y = ((e[:-1] + e[1:]) / 2 for e in self.edges)
        for i, k in np.ndindex(table.shape):
            red, green, blue, _ = mesh.cmap(mesh.norm(table[i, k]))
            dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
            text = f"{table[i, k]:.3g}" if self.shown == "prediction" else f"{table[i, k]:.0f}"
            panel.text(
                float(x[i]),
                float(y[k]),
                text,
                ha="center",
                va="center",
                fontsize="small",
                color="white" if dark else "black",
            )


def feature_edges(partition: Partition, study: Study, feature: int) -> Floats:
    """Return where the axis of a feature is cut, in its own units."""
    n_values = study.n_values[feature]
    if n_values is not None:
        return np.asarray(np.arange(n_values + 1) - 0.5, dtype=np.float64)
    cuts = {0.0, 1.0}
    if feature in partition.histogram_features:
        bins = partition.bins[partition.histogram_features.index(feature)]
        cuts |= {k / bins for k in range(1, bins)}
    tree = partition.tree
    cuts |= {t for f, t in zip(tree.feature, tree.threshold, strict=True) if f == feature}
    low, high = study.bounds.low[feature], study.bounds.high[feature]
    return np.asarray(low + np.array(sorted(cuts)) * (high - low))


def _chosen(features: Any, study: Study, places: list[Floats]) -> tuple[int, int]:
    """Return two different features, given by name or index; or those with most places."""
    if features is None:
        first, second = sorted(np.argsort([-len(p) for p in places], kind="stable")[:2].tolist())
        return first, second
    required = f"two of {listed(study.names)}, or two indices from 0 to {len(study.names) - 1}"
    if isinstance(features, str | bytes) or not hasattr(features, "__len__") or len(features) != 2:
        raise refusal("features", required, short(features))
    found = []
    for each in features:
        if isinstance(each, str) and each in study.names:
            found.append(study.names.index(each))
        elif isinstance(each, int | np.integer) and not isinstance(each, bool) and 0 <= each < len(study.names):
            found.append(int(each))
        else:
            raise refusal("features", required, short(each))
    if found[0] == found[1]:
        raise refusal("features", required, short(features))
    return found[0], found[1]


def _middles(study: Study, features: tuple[int, int], edges: tuple[Floats, Floats]) -> Floats:
    """Return a query in the middle of each rectangle, other features missing."""
    first, second = ((e[:-1] + e[1:]) / 2 for e in edges)
    queries = np.full((len(first) * len(second), len(study.features)), np.nan)
    queries[:, features[0]] = np.repeat(first, len(second))
    queries[:, features[1]] = np.tile(second, len(first))
    return queries


def people_in(partition: Partition, queries: Floats, counts: Floats, area: Floats) -> Floats:
    """Return the number of people around each query, an area each: of each cell, in proportion to its part of the area.

    Queries are the middles of places that divide the axes of the features they know.
    """
    place, cell = partition.candidates(queries, np.isnan(queries)).cells()
    whole = np.bincount(cell, weights=area[place], minlength=len(counts))
    shares = counts[cell] * area[place] / whole[cell]
    return np.asarray(np.bincount(place, weights=shares, minlength=len(queries)), dtype=np.float64)
