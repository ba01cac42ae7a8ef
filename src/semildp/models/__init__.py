"""What is left of a study in the end: a model that predicts, with its study and who spent what. No reports, no seeds."""

from semildp.models.cells import CellBody
from semildp.models.model import Model, Spent
from semildp.models.tree import TreeBody

__all__ = ["CellBody", "Model", "Spent", "TreeBody"]
