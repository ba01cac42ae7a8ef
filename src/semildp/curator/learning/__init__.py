"""Learners on public features and noisy labels: any of scikit-learn's, and a default."""

from semildp.curator.learning.export import learned
from semildp.curator.learning.fitting import check_learner, fit_learner
from semildp.curator.learning.noisy_label_average import NoisyLabelAverage

__all__ = ["NoisyLabelAverage", "check_learner", "fit_learner", "learned"]
