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
    return _threshold(epsilon, _in_window(size, window), f"{size} outputs")


@with_80_digits
def replacement_log_ratio(epsilon: float, size: int, window: int = 1) -> Decimal:
    """Return an exact upper bound on the worst log ratio of that threshold."""
    return _log_ratio(replace_threshold(epsilon, size, window), _in_window(size, window))


@lru_cache(maxsize=4096)
@with_80_digits
def subset_threshold(epsilon: float, n_candidates: int, size: int) -> int:
    """Return a T such that a uniform subset with probability T / 2**64 keeps every ratio at or below e**epsilon.

    There are k candidates, subsets of m, and N = floor(2**64 / k). A draw of a number takes each value with probability
    l / 2**64 or (l + 1) / 2**64, where l >= N: at most 1 + 1/N times l / 2**64. A uniform subset is drawn in m steps,
    each subset in m! ways, so that its probability u is at least m! L, L being the product of all l / 2**64. A kept
    subset is a uniform one that holds the true candidate, or has it put in place of one of its m: k - m more ways, each
    with one more draw. So its probability is at most m! L (k / m) (1 + 1/N)**(m + 1) <= u (k / m) N / (N - m - 1). What
    is sent has probability u T / 2**64, and that of the kept one times 1 - T / 2**64 on top if it holds the true
    candidate. So all ratios are at most 1 + (2**64 - T) k N / (T m (N - m - 1)). T is the smallest that brings this
    down to e**epsilon.
    """
    return _threshold(epsilon, _in_subset(n_candidates, size), f"{n_candidates} candidates")


@with_80_digits
def subset_log_ratio(epsilon: float, n_candidates: int, size: int) -> Decimal:
    """Return an exact upper bound on the worst log ratio of that threshold."""
    return _log_ratio(subset_threshold(epsilon, n_candidates, size), _in_subset(n_candidates, size))


def _in_window(size: int, window: int) -> tuple[int, int]:
    """How much likelier an output is, at most, when kept than when replaced; as a fraction."""
    return -(-WORD // window), WORD // size


def _in_subset(n_candidates: int, size: int) -> tuple[int, int]:
    """Return the same of subsets."""
    least = WORD // n_candidates
    return n_candidates * least, size * (least - size - 1)


def _threshold(epsilon: float, kept: tuple[int, int], what: str) -> int:
    gain = ((exp_at_most(Decimal(epsilon)) - 1) * kept[1] / kept[0]).next_minus()
    threshold = ceiling((WORD / (1 + gain)).next_plus())
    if threshold >= WORD:
        raise refusal("epsilon", f"large enough for {what} to be told apart", repr(epsilon))
    return threshold


def _log_ratio(threshold: int, kept: tuple[int, int]) -> Decimal:
    ratio = 1 + Decimal((WORD - threshold) * kept[0]) / (threshold * kept[1])
    return ln_at_least(ratio.next_plus())
