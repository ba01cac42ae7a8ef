"""Partitions of the feature space: how they are grown, what they answer, how they travel."""

from semildp.partition.candidates import Candidates
from semildp.partition.growing import SPLITTERS, grow_tree
from semildp.partition.partition import MAX_CELLS, Partition, Shape
from semildp.partition.samples import Samples, SamplesOnDemand, scan_over
from semildp.partition.tree import Tree

__all__ = [
    "MAX_CELLS",
    "SPLITTERS",
    "Candidates",
    "Partition",
    "Samples",
    "SamplesOnDemand",
    "Shape",
    "Tree",
    "grow_tree",
    "scan_over",
]
