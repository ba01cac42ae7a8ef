"""The shelf of randomisers, each with its guarantee."""

from semildp.mechanisms.base import IndicatorWeights, Mechanism
from semildp.mechanisms.binary_response import BinaryResponse
from semildp.mechanisms.classes import ClassResponse, best_class_response
from semildp.mechanisms.discrete_laplace import DiscreteLaplace
from semildp.mechanisms.generalised_response import GeneralisedResponse
from semildp.mechanisms.labels import LABEL_MECHANISMS, label_grid
from semildp.mechanisms.paired_response import PairedResponse
from semildp.mechanisms.pairs import PairResponse, best_pair_response
from semildp.mechanisms.subset_response import SubsetResponse
from semildp.mechanisms.window_response import WindowResponse

__all__ = [
    "CELL_MECHANISMS",
    "LABEL_MECHANISMS",
    "BinaryResponse",
    "ClassResponse",
    "DiscreteLaplace",
    "GeneralisedResponse",
    "IndicatorWeights",
    "Mechanism",
    "PairResponse",
    "PairedResponse",
    "SubsetResponse",
    "WindowResponse",
    "best_class_response",
    "best_pair_response",
    "label_grid",
]

CELL_MECHANISMS: dict[str, type[GeneralisedResponse | BinaryResponse]] = {
    "grr": GeneralisedResponse,
    "rr": BinaryResponse,
}
