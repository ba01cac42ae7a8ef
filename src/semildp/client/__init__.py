"""A person's device: the only code that touches raw rows. One row or many, it is the same code."""

from semildp.client.cell_report import report_cells
from semildp.client.joint_report import report_joint
from semildp.client.label_report import randomise_labels, report_labels
from semildp.client.ledger import Ledger
from semildp.client.noisy_histogram import report_histogram
from semildp.client.pair_report import report_pairs
from semildp.client.questions import QuestionId, Sent
from semildp.client.randomised_features import randomise_features
from semildp.client.rows import acting_mask, check_labels, complete_rows

__all__ = [
    "Ledger",
    "QuestionId",
    "Sent",
    "acting_mask",
    "check_labels",
    "complete_rows",
    "randomise_features",
    "randomise_labels",
    "report_cells",
    "report_histogram",
    "report_joint",
    "report_labels",
    "report_pairs",
]
