"""What travels between people and curator."""

from semildp.wire.reports import CellReports, LabelReports, PairReports
from semildp.wire.study import PairQuestion, Study

__all__ = ["CellReports", "LabelReports", "PairQuestion", "PairReports", "Study"]
