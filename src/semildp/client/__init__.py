"""A person's device: the only code that touches raw rows. One row or many, it is the same code."""

from semildp.client.cell_report import report_cells
from semildp.client.label_report import report_labels
from semildp.client.rows import check_labels, complete_rows

__all__ = ["check_labels", "complete_rows", "report_cells", "report_labels"]
