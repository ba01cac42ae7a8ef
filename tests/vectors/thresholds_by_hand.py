"""The page's definition of thresholds, in decimal arithmetic of 60 digits."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from typing import Any

W, H = 2**64, 2**63


def thresholds(mechanism: dict[str, Any], epsilon: float) -> list[str]:
    """The thresholds of a mechanism as it stands in a question."""
    kind, k, width = mechanism["kind"], mechanism["values"], mechanism["width"]
    with localcontext(prec=60):
        eps = Decimal(epsilon)
        if kind == "laplace":
            return _laplace(eps, k - 1)
        if kind == "paired":
            return _paired(eps, k // 2)
        if k == 1:
            return ["0"]
        if kind == "binary":
            return [_up(W / (1 + (eps / 2).exp()))]
        if kind == "subset":
            least = W // k
            n, m = width * (least - width - 1), k * least
        else:
            outputs = k if kind == "generalised" else k - 1 + width
            n, m = W // outputs, -(-W // width)
        return [_up(W / (1 + (eps.exp() - 1) * n / m))]


def _paired(eps: Decimal, candidates: int) -> list[str]:
    if candidates == 1:
        return [_up(W / (1 + eps.exp())), "0"]
    flipped = _up(H / (1 + eps.exp()))
    kept = H - int(flipped)
    return [flipped, _up(Decimal(W * kept) / (eps.exp() * H + 2 * kept))]


def _laplace(eps: Decimal, steps: int) -> list[str]:
    rate = (eps - (1 + eps) / 2**50) / steps
    digits: list[str] = []
    while rate * 2 ** len(digits) < 1:
        odds = (-rate * 2 ** len(digits)).exp()
        digits.append(str((W * odds / (1 + odds)).to_integral_value(ROUND_HALF_EVEN)))
    return [_up(W * (-rate * 2 ** len(digits)).exp()), *digits]


def _up(x: Decimal) -> str:
    return str(math.ceil(x))
