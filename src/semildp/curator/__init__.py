"""The curator: label reports to partition, cell reports to totals, totals to estimate. It never sees a raw row."""

from semildp.curator.admission import admit_cells, admit_joint, admit_labels, admit_pairs
from semildp.curator.effects import Effects, PairTotals, estimate_effects, residual_estimates, tally_pairs
from semildp.curator.estimate import Estimate, estimate, read_min_count
from semildp.curator.joint import JointTotals, joint_estimate, leaf_centres, tally_joint
from semildp.curator.pair_plan import (
    PairPlan,
    guessed_variance,
    pays,
    plan_bins,
    plan_depth,
    plan_pairs,
    prediction_error,
    public_gain,
    public_signal,
    residual_variance,
)
from semildp.curator.partitioning import grow_partition
from semildp.curator.totals import Tally, Totals, tally_reports
from semildp.curator.wide_bounds import LabelSpread, label_spread, warn_of_wide_bounds

__all__ = [
    "Effects",
    "Estimate",
    "JointTotals",
    "LabelSpread",
    "PairPlan",
    "PairTotals",
    "Tally",
    "Totals",
    "admit_cells",
    "admit_joint",
    "admit_labels",
    "admit_pairs",
    "estimate",
    "estimate_effects",
    "grow_partition",
    "guessed_variance",
    "joint_estimate",
    "label_spread",
    "leaf_centres",
    "pays",
    "plan_bins",
    "plan_depth",
    "plan_pairs",
    "prediction_error",
    "public_gain",
    "public_signal",
    "read_min_count",
    "residual_estimates",
    "residual_variance",
    "tally_joint",
    "tally_pairs",
    "tally_reports",
    "warn_of_wide_bounds",
]
