"""The curator: label reports to partition, cell reports to totals, totals to estimate. It never sees a raw row."""

from semildp.curator.estimate import Estimate, estimate
from semildp.curator.partitioning import grow_partition
from semildp.curator.totals import Tally, Totals, tally_reports

__all__ = ["Estimate", "Tally", "Totals", "estimate", "grow_partition", "tally_reports"]
