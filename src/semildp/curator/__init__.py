"""The curator: partition from label reports, totals from cell reports, estimate from totals. It never sees a raw row."""

from semildp.curator.estimate import Estimate, estimate
from semildp.curator.partitioning import grow_partition
from semildp.curator.totals import Tally, Totals, tally_reports

__all__ = ["Estimate", "Tally", "Totals", "estimate", "grow_partition", "tally_reports"]
