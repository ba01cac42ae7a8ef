"""What travels between people and curator."""

from semildp.wire.reports import CellReports, JointReports, LabelReports, PairReports
from semildp.wire.study import JointQuestion, PairQuestion, Study

__all__ = ["CellReports", "JointQuestion", "JointReports", "LabelReports", "PairQuestion", "PairReports", "Study"]
