"""Every check, by name. Each takes a mechanism and raises AssertionError, with a sentence, if it is wrong."""

from __future__ import annotations

from tests.battery.exact import (
    check_likelihood_ratio,
    check_realised_as_stated,
    check_realised_epsilon,
    check_refusals,
    check_total_probability,
    check_unbiased_exactly,
    check_variance_exactly,
)
from tests.battery.fresh import check_batch_position, check_fresh_randomness
from tests.battery.sampled import check_frequencies, check_unbiased_in_samples, check_variance_in_samples

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
)
CHECKS = EXACT + SAMPLED
BY_NAME = {check.__name__: check for check in CHECKS}
