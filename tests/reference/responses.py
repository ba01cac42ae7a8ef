"""Round 2: what one person sends, given their draws. A person with one candidate sends it as it is."""

from __future__ import annotations

from collections.abc import Sequence


def generalised(truth: int, candidates: Sequence[int], replaced: bool, other: int) -> list[int]:
    """Send the true cell, or, if it is to be replaced, the candidate at the drawn position (Appendix A.1)."""
    if len(candidates) > 1 and replaced:
        return [candidates[other]]
    return [truth]


def binary(truth: int, candidates: Sequence[int], flips: Sequence[bool]) -> list[int]:
    """Send a bit per candidate, 1 for the true cell, some of them flipped; return the cells whose bit is 1 (6)."""
    if len(candidates) == 1:
        return [truth]
    marked = []
    for cell, flip in zip(candidates, flips, strict=True):
        bit = cell == truth
        if flip:
            bit = not bit
        if bit:
            marked.append(cell)
    return marked
