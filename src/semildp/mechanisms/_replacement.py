"""How often the truth may be kept: responses that are replaced, now and then, by a uniform draw over all outputs."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from semildp.errors import refusal
from semildp.mechanisms._thresholds import WORD, ceiling, exp_at_most, ln_at_least, with_80_digits


@lru_cache(maxsize=4096)
@with_80_digits
def replace_threshold(epsilon: float, size: int, window: int = 1) -> int:
    """Return the smallest T such that replacing with probability T / 2**64 keeps every ratio at or below e**epsilon.

    A kept response is uniform over a window of outputs, a replaced one over all `size` outputs. Drawn from one word, an
    output has n / 2**64 of the replacements, n being 2**64 / size rounded down or up, and at most m / 2**64 of the kept
    ones, m being 2**64 / window rounded up. The worst ratio, 1 + (2**64 - T) m / (T n), is at most e**epsilon iff
    T >= 2**64 / (1 + (e**epsilon - 1) n / m).
    """
    gain = ((exp_at_most(Decimal(epsilon)) - 1) * (WORD // size) / -(-WORD // window)).next_minus()
    threshold = ceiling((WORD / (1 + gain)).next_plus())
    if threshold >= WORD:
        raise refusal("epsilon", f"large enough for {size} outputs to be told apart", repr(epsilon))
    return threshold


@with_80_digits
def replacement_log_ratio(epsilon: float, size: int, window: int = 1) -> Decimal:
    """Return an exact upper bound on the worst log ratio of that threshold."""
    threshold = replace_threshold(epsilon, size, window)
    ratio = 1 + Decimal((WORD - threshold) * -(-WORD // window)) / (threshold * (WORD // size))
    return ln_at_least(ratio.next_plus())
