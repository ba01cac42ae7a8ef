"""What a study will come to, before anyone is asked."""

from semildp.planning.assumptions import Assumptions
from semildp.planning.conducting import plan
from semildp.planning.record import Expected, Needed, Plan, Row

__all__ = ["Assumptions", "Expected", "Needed", "Plan", "Row", "plan"]
