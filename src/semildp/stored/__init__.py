"""Reports in Parquet files, one row per person: written by a service or a simulation, read in batches by any cluster.

Needs pyarrow (`pip install 'semildp[arrow]'`). The format is described in docs/stored-reports.md.
"""

from semildp.stored.fitting import fit_parts, fit_reports
from semildp.stored.header import Header
from semildp.stored.parts import FilePart, Reports, open_reports
from semildp.stored.rows import Rows
from semildp.stored.writing import write_reports

__all__ = ["FilePart", "Header", "Reports", "Rows", "fit_parts", "fit_reports", "open_reports", "write_reports"]
