"""Reports that the browser's device draws follow the exact channel of each mechanism.

10**5 reports of one private value per mechanism, chi-square against the exact probabilities, each at level 10**-4:
an honest device fails one of the six tests in 6 runs of 10**4 at most. The same test must refuse a channel whose
epsilon is a tenth larger, and a device that draws from thresholds a tenth too low.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from semildp.mechanisms import (
    BinaryResponse,
    DiscreteLaplace,
    GeneralisedResponse,
    PairedResponse,
    SubsetResponse,
    WindowResponse,
)
from semildp.wire.forms import by_size, mechanism_message, partition_message
from semildp.wire.messages import AskCell, AskLabel, AskPair
from tests.browser.running import run
from tests.vectors import parts

N, LEVEL, EPSILON, FEWEST = 100_000, 1e-4, 1.0, 10.0
# d = 7 lies in the last of three bins; the label 2.75 is point 3 of 0..4 on [-1, 4].
PERSON: dict[str, Any] = {"values": [0.3, 2.5, "green", 7.0], "label": 2.75, "hidden": []}
PAGE = Path(__file__).parents[1] / "src/semildp/service/page"
MECHANISMS: dict[str, tuple[Callable[[float], Any], int]] = {  # and the private value
    "laplace": (lambda e: DiscreteLaplace(e, 4), 3),
    "window": (lambda e: WindowResponse(e, 4, 2), 3),
    "generalised": (lambda e: GeneralisedResponse(e, 3), 2),
    "binary": (lambda e: BinaryResponse(e, 3), 2),
    "subset": (lambda e: SubsetResponse(e, 9, 3), 7),
    "paired": (lambda e: PairedResponse(e, 3), 5),
}


def ask(kind: str) -> Any:
    """Ask by which the value of MECHANISMS is sent: a grid point, a cell, or a cell with a level."""
    mechanism, partition = MECHANISMS[kind][0](EPSILON), partition_message(parts.BINS)
    if kind in ("laplace", "window"):
        return AskLabel(-1.0, 4.0, "nearest", mechanism_message(mechanism), EPSILON)
    if kind in ("generalised", "binary"):
        return AskCell(partition, by_size([(3, mechanism)]), EPSILON)
    centre = 2.75 if kind == "subset" else -9.0  # residual 0, the middle one of three levels; or the upper one of two
    return AskPair(partition, (centre,), 1.5, by_size([(3, mechanism)]), EPSILON)


@cache
def drawn(kind: str, n: int = N, page: Path | None = None) -> dict[tuple[int, ...], int]:
    request = {"do": "many", "study": parts.PLAIN.to_json().decode(), "person": PERSON, "n": n}
    (counts,) = run("judge.mjs", [{**request, "question": parts.text(parts.question(ask(kind)))}], page)
    return {tuple(json.loads(marks)): count for marks, count in counts.items()}


def outputs(kind: str, mechanism: Any) -> dict[tuple[int, ...], Any]:
    """Every output of a mechanism, by the marks that a report has for it."""
    rows = mechanism.output_domain
    if rows.ndim == 1:
        return {(int(row),): row for row in rows}
    if kind == "paired":
        return {tuple(int(2 * i + row[i] - 1) for i in np.flatnonzero(row)): row for row in rows}
    return {tuple(int(i) for i in np.flatnonzero(row)): row for row in rows}


def p_value(kind: str, counts: dict[tuple[int, ...], int], epsilon: float) -> float:
    """Chi-square of counts against the exact channel; outputs that are seldom expected are taken together."""
    make, value = MECHANISMS[kind]
    mechanism, n = make(epsilon), sum(counts.values())
    domain = outputs(kind, mechanism)
    assert set(counts) <= set(domain), "an output that cannot be"
    rows = np.array(list(domain.values()))
    expected = n * np.exp(mechanism.log_probability(rows, np.full(len(rows), value)))
    seen = np.array([counts.get(marks, 0) for marks in domain], dtype=float)
    often = expected >= FEWEST
    expected = np.append(expected[often], n - expected[often].sum())
    seen = np.append(seen[often], n - seen[often].sum())
    kept = expected > 1e-6 * n
    assert seen[~kept].sum() <= 10
    return float(chi2.sf(((seen - expected)[kept] ** 2 / expected[kept]).sum(), kept.sum() - 1))


@pytest.mark.parametrize("kind", MECHANISMS)
def test_reports_follow_the_exact_channel(kind):
    assert sum(drawn(kind).values()) == N
    assert p_value(kind, drawn(kind), EPSILON) > LEVEL


@pytest.mark.parametrize("kind", MECHANISMS)
def test_another_epsilon_would_be_seen(kind):
    assert p_value(kind, drawn(kind), 1.1 * EPSILON) < LEVEL


@pytest.mark.parametrize("kind", MECHANISMS)
def test_lower_thresholds_would_be_seen(kind, tmp_path):
    page = tmp_path / "page"
    shutil.copytree(PAGE, page)
    place = page / "device" / "mechanisms.js"
    honest = "return { kind: message.kind, values: message.values, width, thresholds };"
    assert place.read_text().count(honest) == 1
    lower = honest.replace("thresholds }", "thresholds: thresholds.map((t) => (t * 9n) / 10n) }")
    place.write_text(place.read_text().replace(honest, lower))
    assert p_value(kind, drawn(kind, N // 5, page), EPSILON) < LEVEL
