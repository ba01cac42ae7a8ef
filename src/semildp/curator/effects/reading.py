"""One question's reports, read with what is known of all people: what any function of places is worth in each cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from semildp._arrays import Floats, Ints
from semildp.curator.effects.chances import SOME, each_adds_up, likelier_cells, places_within, tilt_of
from semildp.curator.effects.counts import Counts
from semildp.curator.effects.density import shrunk
from semildp.curator.effects.expected import Rows
from semildp.curator.effects.functions import Family
from semildp.curator.effects.reports import EffectReports
from semildp.curator.effects.together import scaled, strength
from semildp.models.places import even_rows, membership, within_bins

BATCH = 1 << 13  # people of whom numbers per cell are held at a time: they stay in the processor's cache
EXPECTED = 100.0  # guess: what is expected counts as if so many had told where they are, were reports all noise
KEPT = 1 << 20  # numbers per person and cell that are kept rather than made again: 8 megabytes


@dataclass(frozen=True, eq=False)
class Reading:
    """Reports to one question, with shares and expectations.

    Parameters
    ----------
    reports
        The reports.
    shares
        Share of people at each place of every feature's axis.
    joint
        Shares over pairs of places of private features that go together, by (feature, feature), both ways.
    expected
        For private features, the probability of each bin for each person given what is public of them; one row for all
        if it is the same.
    private
        The features that are not in the public prediction.
    believed
        How far reports on where each person is are believed, from 0 to 1, rather than what is expected.
    """

    reports: EffectReports
    shares: Mapping[int, Floats]
    joint: Mapping[tuple[int, int], Floats]
    expected: Mapping[int, Rows]
    private: frozenset[int]
    believed: float = 0.0

    @cached_property
    def personal(self) -> frozenset[int]:
        """The features whose expectation differs between people."""
        return frozenset(j for j, rows in self.expected.items() if len(rows) > 1)

    def batches(self) -> Iterator[Reading]:
        """Yield the people, a batch at a time; what is known of all of them stays."""
        if len(self.reports) <= BATCH:
            yield self
        elif len(self.reports) * len(self.cells) <= KEPT:
            yield from self._few
        else:
            yield from self._many()

    @cached_property
    def _few(self) -> list[Reading]:
        return list(self._many())

    def _many(self) -> Iterator[Reading]:
        names = ["personal", "cells", "within", "usual", "weight", "tilt", "noise"]
        names += ["together"] if len(self.reports.features) == 2 else []
        known = {name: getattr(self, name) for name in names}
        for rows, reports in self.reports.batches(BATCH):
            expected = {j: each[rows] if j in self.personal else each[:] for j, each in self.expected.items()}
            batch = replace(self, reports=reports, expected=expected)
            batch.__dict__.update(known)
            yield batch

    @cached_property
    def usual(self) -> dict[int, Floats]:
        """Mean probability of each bin, of features whose expectation differs between people."""
        return {j: np.maximum(self.expected[j].mean(axis=0), 1e-9) for j in self.personal}

    def told_in_public(self, feature: int) -> float:
        """Return how far expectations of a feature differ: the mean of sum (P_b - S_b)^2 / S_b, S_b being means."""
        if feature not in self.personal:
            return 0.0
        usual = self.usual[feature]
        some = self.expected[feature][:: 1 + len(self.reports) // SOME]
        return float(((some - usual) ** 2 / usual).sum(axis=1).mean())

    def sees(self, family: Family) -> bool:
        """Say whether these reports tell of a family: its features were asked about or are known.

        Of two private features both must have been asked about.
        """
        if family not in self._seen:
            reports, apart = self.reports, len(family) == 2 and family[1] in self.private and not self.asked(family)
            known = len(reports) > 0 and all(j in self.within or reports.knows(j) for j in family)
            self._seen[family] = known and not apart
        return self._seen[family]

    @cached_property
    def _seen(self) -> dict[Family, bool]:
        return {}

    def asked(self, family: Family) -> bool:
        """Say whether all features of a family were asked about together."""
        return all(j in self.reports.features for j in family)

    def in_cells(self, feature: int) -> bool:
        """Say whether cells tell of a feature: it was asked about, or goes with one that was."""
        return feature in self.within

    @cached_property
    def cells(self) -> Floats:
        """Share of people in each cell: as reports tell, drawn towards what all reports tell of each feature."""
        reports, features = self.reports, self.reports.features
        if not features:
            return np.ones(1)
        each = [
            membership(b, len(self.shares[j])) @ self.shares[j] for j, b in zip(features, reports.bins, strict=True)
        ]
        usual = each[0]
        if len(features) == 2:
            one, two = (membership(b, len(self.shares[j])) for j, b in zip(features, reports.bins, strict=True))
            usual = (one @ self._over_pairs @ two.T).ravel()
        if reports.signs is not None:
            return np.asarray(usual / max(float(usual.sum()), 1e-300))
        found = shrunk(reports.people / max(len(reports), 1), usual, float(reports.share_noise.sum()))
        return np.maximum(found, 0.0) / max(float(np.maximum(found, 0.0).sum()), 1e-300)

    @property
    def people(self) -> Floats:
        """Estimated number of people behind each sum: in each cell, or all."""
        return len(self.reports) * (self.cells if self.reports.signs is None else np.ones(1))

    @cached_property
    def weight(self) -> Floats:
        """What each sum counts: its people over the variance of its noise, times what is kept of residuals in cells."""
        kept = self.reports.kept if self.reports.signs is None else 1.0
        return np.asarray(kept * self.people / self.reports.cell_noise)

    @cached_property
    def noise(self) -> Floats:
        """Noise variance of each sum, per person."""
        return self.reports.cell_noise / max(len(self.reports), 1)

    @cached_property
    def together(self) -> Floats:
        """Shares over pairs of places, of the two features asked about."""
        return scaled(self._over_pairs, self.cells.reshape(self.reports.bins))

    @property
    def _over_pairs(self) -> Floats:
        """Shares over pairs of places, as all reports tell."""
        first, second = self.reports.features
        found = self.joint.get((first, second))
        return np.outer(self.shares[first], self.shares[second]) if found is None else found

    @cached_property
    def within(self) -> dict[int, Floats]:
        """For each feature that cells tell of, the share of each place (column) among those in each cell (row).

        A private feature that was not asked about, but goes together with one that was, is as likely at each place as
        that one tells.
        """
        features, bins = self.reports.features, self.reports.bins
        together = self.together if len(features) == 2 else None
        found = dict(zip(features, places_within(bins, [self.shares[j] for j in features], together), strict=True))
        for j in self.private - set(features):
            known = [k for k in features if (k, j) in self.joint]
            near = max(known, key=lambda k: strength(self.joint[k, j]), default=None)
            if near is not None and not self.reports.knows(j):
                found[j] = found[near] @ even_rows(self.joint[near, j])
        return found

    def within_bins(self, feature: int) -> Floats:
        """Return the share of each place (column) among those in each bin (row) that is expected of people."""
        if feature not in self._within_bins:
            self._within_bins[feature] = within_bins(self.expected[feature].shape[1], self.shares[feature])
        return self._within_bins[feature]

    @cached_property
    def _within_bins(self) -> dict[int, Floats]:
        return {}

    @cached_property
    def pairs(self) -> Floats:
        """How much likelier each cell of two features (column) is for a person (row) by what public features tell.

        It is P P' - S S', of the probabilities P of bins of each feature and their means S: 0 if these are the same for
        all. So an effect of both is taken off as far as the public prediction has it already.
        """
        one, two = (self.expected[j][:] for j in self.reports.features)
        first, second = (self.usual[j] if j in self.personal else self.expected[j][:][0] for j in self.reports.features)
        both = one[:, :, None] * two[:, None, :] - np.outer(first, second)
        return np.asarray(both.reshape(len(both), -1))

    @cached_property
    def counts(self) -> Counts:
        """People by the places of what is known of them."""
        return Counts(self.reports, self.shares)

    def place(self, feature: int) -> Ints:
        """Return the place of each person on the axis of a feature that is known."""
        return self.counts.place(feature)

    @cached_property
    def chances(self) -> Floats:
        """Probability of each cell (column) for each person (row), or its unbiased estimate; one row if it is the same.

        It is the share of the cell, times how much likelier than on average each of its bins is for the person, times a
        factor of the cell with which shares are right.
        """
        share, usual = self.believed, self._usual_chances
        return np.asarray(share * self.reports.indicators() + (1 - share) * usual) if share else usual

    @cached_property
    def _usual_chances(self) -> Floats:
        return each_adds_up(self.tilt * self._likelier(slice(None)))

    @cached_property
    def lift(self) -> Floats:
        """What a person (row) adds to the sum of a cell (column) counts so many times as much; one row if all do alike.

        It tells of an effect as far as they are there, and has noise f of false marks, wherever they are, and that of
        residuals, if they are there. If they are there q times as likely as others, who add noise v on average, they
        count q v / (f + q (v - f)) times as much.
        """
        if not self.personal:
            return np.ones((1, len(self.cells)))
        likelier, noise = self._usual_chances / np.maximum(self.cells, 1e-300), self.noise
        false = np.minimum(self.reports.false_noise, noise)
        return np.asarray(likelier * noise / np.maximum(false + likelier * (noise - false), 1e-300))

    def as_reported(self) -> Reading:
        """Return the same reports, read with where people report to be."""
        if self.reports.signs is not None or not self.reports.features:
            return self
        weight, noise = self.reports.weight, EXPECTED * (1 - self.reports.weight / len(self.reports))
        return replace(self, believed=weight / (weight + noise) if weight > 0 else 0.0)

    def _likelier(self, people: slice) -> Floats:
        asked = [j for j in self.reports.features if j in self.personal]
        bins = {j: (self.expected[j][people] / self.usual[j], self.reports.bin_of_cell(j)) for j in asked}
        return likelier_cells(len(self.cells), bins.values())

    @cached_property
    def tilt(self) -> Floats:
        """Factor of each cell, with which the mean of people's probabilities of it is its share (of some people)."""
        return tilt_of(self.cells, self._likelier(slice(0, len(self.reports), 1 + len(self.reports) // SOME)))

    @cached_property
    def turned(self) -> Floats:
        """Expected sign of each person; one row for all if it is the same. Without signs it is 1."""
        signs = self.reports.signs
        return np.ones(1) if signs is None else self.chances @ signs

    def sent(self, part: Floats) -> Floats:
        """Return what people (row) are expected to add to each sum (column), from what they would get in each cell."""
        signs = self.reports.signs
        each = self.reports.kept * self.chances * part
        return each if signs is None else (each @ signs)[:, None]

    def direction(self, part: Floats) -> Floats:
        """Return along what an unbiased report is multiplied to tell of an effect, per person and sum."""
        return self.lift * part if self.reports.signs is None else self.sent(part)

    def lifted(self, rows: Floats) -> Floats:
        """Return what people (row) add to each sum (column), as it counts."""
        return self.lift * rows if self.reports.signs is None else rows

    def totals(
        self, choices: Sequence[tuple[int, ...]], rows: Callable[[Reading], Floats]
    ) -> dict[tuple[int, ...], Floats]:
        """Add up rows that are made for each batch, by places, for several choices of known features."""
        found: dict[tuple[int, ...], Floats] = {}
        for batch in self.batches():
            for features, each in batch.counts.by_places(choices, rows(batch)).items():
                found[features] = found[features] + each if features in found else each
        return found

    @cached_property
    def counted(self) -> dict[tuple[int, tuple[int, ...]], tuple[Floats, Floats, Floats]]:
        """What has been counted of people for a feature and known features, to be looked up again."""
        return {}
