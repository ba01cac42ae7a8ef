"""What is read off pair reports agrees with literal loops over people and cells, to 1e-9."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from semildp.curator.effects.adding import added as what_is_added
from semildp.curator.effects.reading import Reading
from semildp.curator.effects.reports import EffectReports
from semildp.curator.effects.together import tilted
from semildp.mechanisms import PairResponse
from semildp.sources import SeededSource
from semildp.wire.columns import Marks
from tests.reference import effects as literal

KINDS = (("generalised", 2), ("generalised", 3), ("subset", 2), ("subset", 4), ("paired", 2))
PLACES = {0: 6, 1: 5, 2: 4, 3: 6}  # of the axes: 0 and 1 are asked about, 2 is public, 3 is shown by these people
CATEGORY = 3  # values of feature 1 where it is a category: as many places and bins


@dataclass(frozen=True, eq=False)
class Case:
    """Reports, and the same for loops."""

    reading: Reading
    sent: literal.Sent
    rng: np.random.Generator

    @property
    def reports(self) -> EffectReports:
        return self.reading.reports

    def effect(self, *features: int) -> np.ndarray:
        return self.rng.normal(size=[len(self.reading.shares[j]) for j in features])

    def expected(self, feature: int) -> list[list[float]]:
        """Probabilities of bins, for each person."""
        table = self.reading.expected[feature]
        return np.broadcast_to(table, (len(self.reports), table.shape[1])).tolist()

    def mean(self, feature: int, effect: np.ndarray, person: int) -> float:
        """What an effect is expected to add for a person."""
        row, shares = self.expected(feature)[person], self.reading.shares[feature].tolist()
        parts = [literal.average_in_bin(effect.tolist(), shares, b, len(row)) for b in range(len(row))]
        return sum(p * a for p, a in zip(row, parts, strict=True))


def shares_of(rng: np.random.Generator, places: int) -> np.ndarray:
    share = rng.random(places) + 0.05
    return share / share.sum()


@st.composite
def cases(draw: st.DrawFn) -> Case:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, count = draw(st.integers(1, 7)), draw(st.sampled_from([1, 2]))
    kind, levels = draw(st.sampled_from(KINDS))
    category, personal = draw(st.booleans()), draw(st.booleans())
    places = {**PLACES, 1: CATEGORY if category else PLACES[1]}
    features = draw(st.sampled_from([(0,), (1,)] if count == 1 else [(0, 1), (1, 0)]))
    bins = tuple(CATEGORY if category and j == 1 else draw(st.integers(2, 4)) for j in features)
    response = PairResponse(draw(st.sampled_from([0.5, 1.0, 4.0])), int(np.prod(bins)), levels, kind)
    truth = rng.integers(0, response.n_candidates, n), rng.integers(0, levels, n)
    marks = Marks.sets(*response.send(*truth, SeededSource(int(rng.integers(2**32)))), n)
    known = np.column_stack([np.full((n, 2), -1), rng.integers(0, places[2], n), rng.integers(0, places[3], n)])
    reach, shift = float(rng.uniform(0.1, 3)), rng.normal(size=n)
    reports = EffectReports(features, bins, response, reach, marks, known, shift)
    rows = n if personal else 1
    sizes = {**dict(zip(features, bins, strict=True)), 3: 3}
    expected = {j: np.array([shares_of(rng, b) for _ in range(rows)]) for j, b in sizes.items()}
    shares = {j: shares_of(rng, p) for j, p in places.items()}
    together = tilted(shares[0], shares[1], 0.4)
    joint = {} if category or count == 1 else {(0, 1): together, (1, 0): together.T}
    reading = Reading(reports, shares, joint, expected, frozenset({*features, 3}))
    numbers = np.linspace(-1, 1, levels).tolist()
    said = [[(v // levels, numbers[v % levels]) for v in marks.of(i)] for i in range(n)]
    weights = literal.Weights(response.per_mark, response.per_person, response.per_score)
    return Case(reading, literal.Sent(said, response.n_candidates, reach, shift.tolist(), weights), rng)


def agree(found: object, expected: object) -> None:
    """To 1e-9, relative to the largest number."""
    size = max(float(np.abs(np.asarray(expected)).max(initial=0.0)), 1e-12)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * size)


@settings(max_examples=60, deadline=None)
@given(cases())
def test_sums_people_residuals_and_products(case: Case) -> None:
    reports, sent, n = case.reports, case.sent, len(case.reports)
    place = case.rng.integers(0, 3, n)
    agree(reports.sums(place, 3), sent.sums(place.tolist(), 3))
    agree(reports.residuals(), [sent.residual(i) for i in range(n)])
    agree(reports.people, sent.people())
    factor, columns = case.rng.normal(size=(n, reports.n_cells)), case.rng.normal(size=(n, 2))
    assert abs(reports.product(factor) - sent.product(factor.tolist())) <= 1e-9 * (
        1 + abs(sent.product(factor.tolist()))
    )
    for j, bins in zip(reports.features, reports.bins, strict=True):
        of_cell = reports.bin_of_cell(j).tolist()
        agree(reports.products(j, columns), sent.products(columns.tolist(), of_cell, bins))
        people = sent.people()
        agree(
            reports.bin_counts(j), [sum(p for p, b in zip(people, of_cell, strict=True) if b == k) for k in range(bins)]
        )


@settings(max_examples=60, deadline=None)
@given(cases())
def test_bins_of_cells_count_up_like_digits(case: Case) -> None:
    every = list(itertools.product(*(range(b) for b in case.reports.bins)))
    for axis, j in enumerate(case.reports.features):
        assert case.reports.bin_of_cell(j).tolist() == [cell[axis] for cell in every]


@settings(max_examples=60, deadline=None)
@given(cases())
def test_shares_of_cells_lie_between_the_reports_and_what_is_usual(case: Case) -> None:
    """They add up to 1. Of one feature, the usual ones follow from the shares of places: no cell lies beyond both."""
    reading, cells = case.reading, range(case.reports.n_cells)
    assert abs(float(reading.cells.sum()) - 1) < 1e-12
    assert (reading.cells >= 0).all()
    agree(reading.people, [len(case.reports) * share for share in reading.cells])
    if len(case.reports.features) == 1:
        places, bins = reading.shares[case.reports.features[0]], case.reports.bins[0]
        usual = [sum(literal.overlap(c, bins, p, len(places)) * s for p, s in enumerate(places)) for c in cells]
        told = [p / len(case.reports) for p in case.sent.people()]
        for c in cells:
            assert min(usual[c], told[c]) - 1e-9 <= reading.cells[c] <= max(usual[c], told[c]) + 1e-9


@settings(max_examples=60, deadline=None)
@given(cases())
def test_chances_and_sums_by_place(case: Case) -> None:
    reading, n = case.reading, len(case.reports)
    personal = [j for j in case.reports.features if len(reading.expected[j]) > 1]
    own = [(case.expected(j), case.reports.bin_of_cell(j).tolist()) for j in personal]
    shares = reading.cells.tolist()
    expected = literal.chances(shares, own, n)
    agree(np.broadcast_to(reading.chances, (n, case.reports.n_cells)), expected)
    known, first = case.reports.known, len(reading.shares[3])
    for features in ((), (2,), (2, 3)):
        places = [0] * n
        for j in features:
            places = [p * len(reading.shares[j]) + int(known[i, j]) for i, p in enumerate(places)]
        count = int(np.prod([len(reading.shares[j]) for j in features], dtype=int))
        agree(
            reading.counts.by_places([features], reading.chances)[features], literal.by_place(places, count, expected)
        )
    assert first == PLACES[3]


@settings(max_examples=60, deadline=None)
@given(cases())
def test_what_an_effect_of_one_feature_adds(case: Case) -> None:
    """One that was asked about: its average in the person's cell, less what is expected; one that is shown: itself."""
    reading, n, cells = case.reading, len(case.reports), range(case.reports.n_cells)
    for j in case.reports.features:
        effect = case.effect(j)
        at = [_in_cell(case, j, effect, cell) for cell in cells]
        agree(
            what_is_added(reading, (j,), effect), [[at[c] - case.mean(j, effect, i) for c in cells] for i in range(n)]
        )
    effect, place = case.effect(3), case.reports.known[:, 3]
    agree(
        what_is_added(reading, (3,), effect),
        [[effect[place[i]] - case.mean(3, effect, i) for _ in cells] for i in range(n)],
    )


@settings(max_examples=60, deadline=None)
@given(cases())
def test_what_an_effect_with_a_public_feature_adds(case: Case) -> None:
    reading, n, cells = case.reading, len(case.reports), range(case.reports.n_cells)
    second = case.reports.known[:, 2]
    for j in case.reports.features:
        effect = case.effect(j, 2)
        expected = []
        for i in range(n):
            column = effect[:, second[i]]
            expected.append([_in_cell(case, j, column, c) - case.mean(j, column, i) for c in cells])
        agree(what_is_added(reading, (j, 2), effect), expected)
    effect, first = case.effect(3, 2), case.reports.known[:, 3]
    shown = [[effect[first[i], second[i]] - case.mean(3, effect[:, second[i]], i)] * len(cells) for i in range(n)]
    agree(what_is_added(reading, (3, 2), effect), shown)


@settings(max_examples=60, deadline=None)
@given(cases().filter(lambda case: len(case.reports.features) == 2))
def test_what_an_effect_of_two_private_features_adds(case: Case) -> None:
    """Its average in the cell, whichever of the two was asked first, less what is expected beyond the average."""
    reading, reports = case.reading, case.reports
    effect = case.effect(*reports.features)
    together = reading.together.tolist()
    at = [literal.average_in_cell(effect.tolist(), together, reports.bins, c) for c in range(reports.n_cells)]
    bins = [_bins_of(case, effect, a, b) for a, b in itertools.product(*map(range, reports.bins))]
    one, two = (np.broadcast_to(reading.expected[j], (len(reports), b)) for j, b in zip(*_asked(case), strict=True))
    usual = np.outer(one.mean(axis=0), two.mean(axis=0)).ravel()
    expected = [np.array(at) - (np.outer(one[i], two[i]).ravel() - usual) @ bins for i in range(len(reports))]
    agree(what_is_added(reading, reports.features, effect), expected)
    agree(what_is_added(reading, reports.features[::-1], effect.T), expected)


def _asked(case: Case) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return case.reports.features, case.reports.bins


def _bins_of(case: Case, effect: np.ndarray, a: int, b: int) -> float:
    """Return the average of a table in one bin of each feature, if they do not go together."""
    (one, two), bins = _asked(case)
    rows = [literal.average_in_bin(row.tolist(), case.reading.shares[two].tolist(), b, bins[1]) for row in effect]
    return literal.average_in_bin(rows, case.reading.shares[one].tolist(), a, bins[0])


def _in_cell(case: Case, feature: int, effect: np.ndarray, cell: int) -> float:
    """Return the average of one feature's effect among the people in a cell."""
    reading, reports = case.reading, case.reports
    if len(reports.features) == 1:
        return literal.average_in_bin(effect.tolist(), reading.shares[feature].tolist(), cell, reports.bins[0])
    first = reports.features[0] == feature
    other = reading.together.shape[1 if first else 0]
    table = np.repeat(effect[:, None], other, axis=1) if first else np.repeat(effect[None, :], other, axis=0)
    together = reading.together.tolist()
    if _mass(together, reports.bins, cell) <= 1e-12:
        return float(effect.mean())  # nobody is there
    return literal.average_in_cell(table.tolist(), together, reports.bins, cell)


def _mass(together: list[list[float]], bins: tuple[int, int], cell: int) -> float:
    a, b = divmod(cell, bins[1])
    rows, columns = range(len(together)), range(len(together[0]))
    part = [literal.overlap(a, bins[0], p, len(together)) for p in rows]
    other = [literal.overlap(b, bins[1], q, len(together[0])) for q in columns]
    return sum(together[p][q] * part[p] * other[q] for p in rows for q in columns)
