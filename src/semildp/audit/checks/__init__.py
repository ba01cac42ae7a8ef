"""Every check of a mechanism. Each raises ViolationError, with a sentence, if the mechanism is wrong."""

from __future__ import annotations

from semildp.audit.checks.alone import check_one_person_calls
from semildp.audit.checks.exact import (
    check_likelihood_ratio,
    check_realised_as_stated,
    check_realised_epsilon,
    check_refusals,
    check_total_probability,
    check_unbiased_exactly,
    check_variance_exactly,
)
from semildp.audit.checks.fresh import check_batch_position, check_fresh_randomness
from semildp.audit.checks.sampled import check_frequencies, check_unbiased_in_samples, check_variance_in_samples

EXACT = (
    check_likelihood_ratio,
    check_realised_epsilon,
    check_realised_as_stated,
    check_total_probability,
    check_unbiased_exactly,
    check_variance_exactly,
    check_refusals,
)
SAMPLED = (
    check_frequencies,
    check_unbiased_in_samples,
    check_variance_in_samples,
    check_fresh_randomness,
    check_batch_position,
    check_one_person_calls,
)
CHECKS = EXACT + SAMPLED
