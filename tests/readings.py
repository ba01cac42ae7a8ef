"""Functions and reports at random, to be weighed: feature 2 is public, all have eight places."""

from __future__ import annotations

import numpy as np

from semildp.curator.effects.functions import Functions
from semildp.curator.effects.reading import Reading
from semildp.curator.effects.reports import EffectReports
from semildp.mechanisms import PairResponse
from semildp.sources import SeededSource
from semildp.wire.columns import Marks

PLACES = 8
LEAST = 0.05  # precision of sizes before anyone is asked


def functions(rng: np.random.Generator, count: int, features: tuple[int, ...] = (0,), *, terms: int = 0) -> Functions:
    """Return functions at random, of which an effect is one, and terms of two kinds of curves."""
    values = {j: rng.normal(size=(count + terms, PLACES)) for j in features}
    values = {j: v - v.mean(axis=1, keepdims=True) for j, v in values.items()}
    prior = {j: dict.fromkeys((1, 2), np.full(count, 1 / count)) for j in features}
    variance = {j: (v[:count] ** 2).mean(axis=1) for j, v in values.items()}
    falls = {j: 0.2 + rng.random((2, terms)) for j in features} if terms else {}
    return Functions(values, prior, variance, falls=falls)


def reading(
    n: int,
    features: tuple[int, ...],
    *,
    copies: int = 1,
    personal: bool = False,
    seed: int = 0,
    signed: bool = False,
) -> Reading:
    """Return reports of people at random, all of it so many times over; feature 2 is public, all have eight places."""
    rng = np.random.default_rng(seed)
    bins = (4,) if len(features) == 1 else (2, 3)
    response = PairResponse(2.0, 1 if signed else int(np.prod(bins)), 3, "generalised")
    signs = 1 - 2 * rng.integers(0, 2, int(np.prod(bins))) if signed else None
    sent = response.send(rng.integers(0, response.n_candidates, n), rng.integers(0, 3, n), SeededSource(seed))[1]
    known = np.column_stack([np.full((n, 2), -1), rng.integers(0, PLACES, n)])
    shift = 0.1 * rng.normal(size=n)
    expected = {}
    for j, b in zip(features, bins, strict=True):
        rows = rng.random((n if personal else 1, b)) + 1
        expected[j] = np.tile(rows / rows.sum(axis=1, keepdims=True), (copies if personal else 1, 1))
    marks = Marks.one_each(np.tile(sent, copies))
    people = (marks, np.tile(known, (copies, 1)), np.tile(shift, copies))
    reports = EffectReports(features, bins, response, 1.0, *people, signs, kept=0.7)
    shares = {j: np.full(PLACES, 1 / PLACES) for j in range(3)}
    return Reading(reports, shares, {}, expected, frozenset(features))


def noise_of(read: Reading) -> np.ndarray:
    """Return the noise variance of what people (row) add to each sum (column): false marks, and if they are there."""
    false, n = read.reports.false_noise, len(read.reports)
    there = (read.reports.cell_noise / n - false) / read.cells
    return false + np.broadcast_to(read.chances, (n, len(read.cells))) * there


def weight_of(read: Reading) -> np.ndarray:
    """Return with what residuals of people (row) in each cell (column) are weighed: 0.7 of them is kept."""
    return 0.7 * read.chances / noise_of(read)
