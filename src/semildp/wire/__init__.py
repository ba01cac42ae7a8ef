"""What travels between people and curator."""

from semildp.wire.reports import CellReports, LabelReports
from semildp.wire.study import Study

__all__ = ["CellReports", "LabelReports", "Study"]
