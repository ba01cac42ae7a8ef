"""What a wave's reports add up to: how often each number was sent. Sums do not tell who sent what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from semildp.wire.codec import decode
from semildp.wire.messages import AskHistogram, Question, Report

_READ = msgspec.json.Decoder(Report)  # reports were checked strictly when they came in


def wave_totals(wave: int, templates: Sequence[bytes], rows: Sequence[tuple[int, int, float, bytes]]) -> bytes:
    """Return the totals of a wave as JSON: per question and ask, how often each number was sent.

    Of a histogram, which has a number for every cell, the sum at each place instead.
    """
    asks = [decode(raw, Question).asks for raw in templates]
    n_reports = [0] * len(asks)
    sums: list[list[Any]] = [[[] if isinstance(ask, AskHistogram) else Counter() for ask in each] for each in asks]
    for _, question, _, body in rows:
        n_reports[question] += 1
        for k, numbers in enumerate(_READ.decode(body).answers):
            total = sums[question][k]
            if isinstance(total, Counter):
                total.update(numbers)
            else:
                sums[question][k] = [a + b for a, b in zip(total or [0] * len(numbers), numbers, strict=True)]
    document = {
        "wave": wave,
        "questions": [
            {"question": q, "reports": n, "asks": [_told(ask, total) for ask, total in zip(of, mine, strict=True)]}
            for q, (n, of, mine) in enumerate(zip(n_reports, asks, sums, strict=True))
        ],
    }
    return msgspec.json.encode(document)


def _told(ask: Any, total: Any) -> dict[str, Any]:
    kind = type(ask).__struct_config__.tag
    if isinstance(total, Counter):
        return {"ask": kind, "counts": {str(number): n for number, n in sorted(total.items())}}
    return {"ask": kind, "sums": total}
