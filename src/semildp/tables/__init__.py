"""Tables of people in CSV files, for those who have rows: predictions, and simulated studies."""

from semildp.tables.coding import Coder, Remarks
from semildp.tables.csv_table import Table, open_table
from semildp.tables.predicting import predict_table, read_model

__all__ = ["Coder", "Remarks", "Table", "open_table", "predict_table", "read_model"]
