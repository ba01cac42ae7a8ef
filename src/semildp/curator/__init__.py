"""The curator: reports to totals, totals to estimates, and what to ask next. It never sees a raw row."""

from semildp.curator.estimate import Estimate, estimate, read_min_count
from semildp.curator.joint import JointTerms, JointTotals, joint_estimate, leaf_centres, tally_joint
from semildp.curator.partitioning import grow_partition
from semildp.curator.totals import Tally, Totals, tally_cells

__all__ = [
    "Estimate",
    "JointTerms",
    "JointTotals",
    "Tally",
    "Totals",
    "estimate",
    "grow_partition",
    "joint_estimate",
    "leaf_centres",
    "read_min_count",
    "tally_cells",
    "tally_joint",
]
