"""Checking the guarantee oneself: exactly, in samples, and from outside."""

from semildp.audit.attack import Attacked, attack_floating_point
from semildp.audit.channel import Channel, WorstRatio, channel_matrix, worst_ratio
from semildp.audit.columns import columns
from semildp.audit.finding import Finding, ViolationError
from semildp.audit.plot import plot_audit
from semildp.audit.report import Audited, audit_mechanism, audit_visit
from semildp.audit.run import audit_study
from semildp.audit.search import LowerBound, lower_bound
from semildp.audit.studies import default_studies
from semildp.audit.table import attack_table, audit_table
from semildp.audit.visit import Part, Visit, mechanism_visit

__all__ = [
    "Attacked",
    "Audited",
    "Channel",
    "Finding",
    "LowerBound",
    "Part",
    "ViolationError",
    "Visit",
    "WorstRatio",
    "attack_floating_point",
    "attack_table",
    "audit_mechanism",
    "audit_study",
    "audit_table",
    "audit_visit",
    "channel_matrix",
    "columns",
    "default_studies",
    "lower_bound",
    "mechanism_visit",
    "plot_audit",
    "worst_ratio",
]
