"""The curator: label reports to partition, cell reports to totals, totals to estimate. It never sees a raw row."""

from semildp.curator.effects import Effects, count_pairs, estimate_effects
from semildp.curator.estimate import Estimate, estimate
from semildp.curator.pair_plan import PairPlan, plan_pairs
from semildp.curator.partitioning import grow_partition
from semildp.curator.totals import Tally, Totals, tally_reports

__all__ = [
    "Effects",
    "Estimate",
    "PairPlan",
    "Tally",
    "Totals",
    "count_pairs",
    "estimate",
    "estimate_effects",
    "grow_partition",
    "plan_pairs",
    "tally_reports",
]
