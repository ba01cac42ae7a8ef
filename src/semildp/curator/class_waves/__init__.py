"""Waves that ask for classes: what reports tell of each class, what is learnt of it, and how far to trust that."""

from semildp.curator.class_waves.evidence import Evidence, evidence_of, targets_of
from semildp.curator.class_waves.judging import Trust, judge
from semildp.curator.class_waves.planning import plan_classes
from semildp.curator.class_waves.reported import check_class_learner

__all__ = ["Evidence", "Trust", "check_class_learner", "evidence_of", "judge", "plan_classes", "targets_of"]
