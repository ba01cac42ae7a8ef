"""The label mechanisms by name, and the public grid each of them rounds labels to."""

from __future__ import annotations

from semildp._checks import one_of, privacy_parameter
from semildp.domains import LabelGrid
from semildp.mechanisms.discrete_laplace import DiscreteLaplace
from semildp.mechanisms.window_response import WindowResponse

LABEL_MECHANISMS: dict[str, type[DiscreteLaplace | WindowResponse]] = {
    "laplace": DiscreteLaplace,
    "window": WindowResponse,
}


def label_grid(mechanism: str, low: float, high: float, epsilon: float) -> LabelGrid:
    """Return the grid for labels in [low, high]: fine for unbounded noise, as coarse as pays for a bounded report."""
    one_of("mechanism", mechanism, tuple(LABEL_MECHANISMS))
    epsilon = privacy_parameter("epsilon", epsilon)
    if mechanism == "window":
        return LabelGrid(low, high, WindowResponse.best_steps(epsilon))
    return LabelGrid.for_epsilon(low, high, epsilon)
