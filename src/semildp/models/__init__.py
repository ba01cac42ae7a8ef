"""What is left of a study in the end: a model that predicts, its study and who spent what. No reports, no seeds."""

from semildp.models.additive import AdditiveBody, OpaqueBody, public_prediction, public_view
from semildp.models.cells import CellBody
from semildp.models.density import DensityBody
from semildp.models.effects import Effect
from semildp.models.model import Model, Spent, model_of
from semildp.models.tree import TreeBody

__all__ = [
    "AdditiveBody",
    "CellBody",
    "DensityBody",
    "Effect",
    "Model",
    "OpaqueBody",
    "Spent",
    "TreeBody",
    "model_of",
    "public_prediction",
    "public_view",
]
