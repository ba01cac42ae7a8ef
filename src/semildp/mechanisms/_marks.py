"""How often marks are set and signs kept, where candidate and sign are one secret."""

from __future__ import annotations

import itertools
from decimal import Decimal
from functools import lru_cache

from semildp.errors import refusal
from semildp.mechanisms._thresholds import WORD, ceiling, exp_at_most, ln_at_least, with_80_digits

HALF = WORD // 2  # The true candidate is marked with probability 1/2.


@lru_cache(maxsize=256)
@with_80_digits
def sign_threshold(epsilon: float, marked: int) -> int:
    """Return the smallest number of `marked` words to give the opposite sign with a ratio of at most e**epsilon."""
    threshold = ceiling((marked / (1 + exp_at_most(Decimal(epsilon)))).next_plus())
    if 2 * threshold >= marked:
        raise refusal("epsilon", "large enough for a sign to carry anything", repr(epsilon))
    return threshold


@lru_cache(maxsize=256)
@with_80_digits
def mark_threshold(epsilon: float) -> int:
    """Return the smallest M such that marking others with 2 M / 2**64, M for each sign, keeps ratios within e**epsilon.

    Of 2**64 words the true candidate has H = 2**63 for nothing, R for the opposite sign and H - R for its own; another
    has 2**64 - 2 M for nothing and M for each sign. Its own sign against nothing elsewhere is the worst pair that M
    decides: (H - R) / M * (2**64 - 2 M) / H is at most e**epsilon iff M >= 2**64 (H - R) / (e**epsilon H + 2 (H - R)).
    """
    growth = exp_at_most(Decimal(epsilon))
    kept = HALF - sign_threshold(epsilon, HALF)
    threshold = ceiling((Decimal(WORD * kept) / (growth * HALF + 2 * kept).next_minus()).next_plus())
    if _worst_ratio(HALF - kept, threshold) > growth:
        raise refusal("epsilon", "large enough for a mark to carry anything", repr(epsilon))
    return threshold


@with_80_digits
def sign_log_ratio(epsilon: float, marked: int) -> Decimal:
    """Return an exact upper bound on the worst log ratio of a sign among `marked` words."""
    flipped = sign_threshold(epsilon, marked)
    return ln_at_least((Decimal(marked - flipped) / flipped).next_plus())


@with_80_digits
def paired_log_ratio(epsilon: float) -> Decimal:
    """Return an exact upper bound on the worst log ratio of both thresholds together."""
    return ln_at_least(_worst_ratio(sign_threshold(epsilon, HALF), mark_threshold(epsilon)))


def _worst_ratio(flipped: int, marked: int) -> Decimal:
    """Return at least the worst ratio of an entry's likelihoods, true against other, at two entries.

    A change of candidate changes the entries of both, in opposite directions; a change of sign alone exchanges
    R and H - R, which is the quotient of that candidate's two ratios for the two signs. So this covers every pair.
    """
    entries = ((HALF, WORD - 2 * marked), (flipped, marked), (HALF - flipped, marked))
    return max((Decimal(t * v) / (u * s)).next_plus() for (t, u), (s, v) in itertools.permutations(entries, 2))
