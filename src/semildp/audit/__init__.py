"""Checking the guarantee oneself: exactly, in samples, and from outside."""

from semildp.audit.attack import Attacked, attack_floating_point
from semildp.audit.examine import audit_mechanism, audit_visit
from semildp.audit.finding import Finding, ViolationError
from semildp.audit.laws.worst import WorstRatio, worst_ratio
from semildp.audit.run import audit_study
from semildp.audit.search.columns import columns
from semildp.audit.search.lower_bound import LowerBound, lower_bound
from semildp.audit.show.plot import plot_audit
from semildp.audit.show.report import Audited
from semildp.audit.show.table import attack_table, audit_table
from semildp.audit.visits.studies import default_studies
from semildp.audit.visits.visit import Part, Visit, mechanism_visit

__all__ = [
    "Attacked",
    "Audited",
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
    "columns",
    "default_studies",
    "lower_bound",
    "mechanism_visit",
    "plot_audit",
    "worst_ratio",
]
