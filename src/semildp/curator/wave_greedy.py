"""Part after part of the people, the question that is expected to help most after the ones before."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from semildp._arrays import Bools, Floats
from semildp.curator.effects.doubts import Doubt
from semildp.curator.pair_plan import MOST_NUMBERS, cut_normal
from semildp.curator.wave_menu import Asking, shown
from semildp.curator.wave_telling import ManyTold, Told, told_by_rows
from semildp.mechanisms import best_pair_response

PARTS = 12  # of the people, at least, each of which is asked one thing; as many as there are features
WHERE = 0.25  # guess: share of the first people who are asked about few private features, to tell where they are
PUBLIC = 0.5  # guess: what public features may come to explain of the labels' variance
# Error of what is explained, of cut residuals that are stretched, in units of (1 - kept)^2: where residuals are not
# normal, `kept` is off. The mean of (true / normal - 1)^2 / (1 - normal)^2 over normal, uniform, double exponential,
# logistic, t5, exponential, gamma (4) and log-normal (1/2) residuals, at reaches of 0.5 to 1.5 deviations.
CUT = 0.1
LEAST = 1e-4  # guess: by how much more than the residual alone a question must lower the error, to be asked


@dataclass(frozen=True, eq=False)
class Before:
    """What is known before the people are asked, and what they may be asked.

    Parameters
    ----------
    menu
        Lists of one question about cells, or of several with signs about the same features.
    doubts
        What is unknown, of each family.
    n_public, precision, spread, explained, unclear
        As in `Known`; `unclear` is there for all features and pairs that signs may be asked about.
    evenly
        Whether all features, or pairs of them, are to be asked about as often as each other.
    where
        So many lists, the first of the menu, are there to tell where people are: a share of the people, `WHERE`, is
        asked from these, and the others from the rest.
    """

    menu: list[list[Asking]]
    doubts: list[Doubt]
    n_public: int
    precision: float
    spread: float
    explained: float
    unclear: Mapping[tuple[int, ...], float]
    evenly: bool = False
    where: int = 0
    shows: dict[Hashable, Floats] = field(default_factory=dict)  # rows that were found, for all reaches
    tells: dict[Hashable, Told | ManyTold] = field(default_factory=dict)  # what they tell of `doubts`, likewise

    @cached_property
    def told_of(self) -> list[list[tuple[int, Hashable]]]:
        """For each list of the menu, the families that it tells of, and how: the same for features that are alike.

        Of a question about cells it is by the bins of the family's features.
        """
        among: dict[frozenset[int], list[int]] = {}
        for family, doubt in enumerate(self.doubts):
            among.setdefault(frozenset(doubt.private), []).append(family)
        found: list[list[tuple[int, Hashable]]] = []
        for at, askings in enumerate(self.menu):
            first = askings[0]
            features = first.features
            groups = [g for size in range(1, len(features) + 1) for g in itertools.combinations(features, size)]
            families = sorted(f for group in groups for f in among.get(frozenset(group), []))
            inside = [tuple(j in self.doubts[f].private for j in features) for f in families]
            if first.signs is None:
                how: list[Hashable] = [tuple(itertools.compress(first.bins, each)) for each in inside]
            else:
                how = [(at, *each) for each in inside]
            found.append(list(zip(families, how, strict=True)))
        return found

    @cached_property
    def n_features(self) -> int:
        """How many features may be asked about."""
        return len({j for askings in self.menu for j in askings[0].features})

    @cached_property
    def cells(self) -> list[int]:
        """For each list of the menu, how many cells its one question has; 0 where there are several, with signs."""
        return [askings[0].n_cells if askings[0].signs is None else 0 for askings in self.menu]

    @cached_property
    def kinds(self) -> list[int]:
        """A number for each doubt, the same for those that are equal but for the names of their features."""
        numbers: dict[Hashable, int] = {}
        found = []
        for doubt in self.doubts:
            each = (doubt.covariance, doubt.ways, np.array(doubt.worth), *doubt.shares)
            found.append(numbers.setdefault(tuple((a.shape, a.tobytes()) for a in each), len(numbers)))
        return found


@dataclass(frozen=True)
class Sending:
    """How a number is sent with a cell.

    Parameters
    ----------
    reach
        Where it is cut, in standard deviations.
    kept
        By how much the mean of the cut number moves when all numbers move by 1.
    noise
        Noise variance of one report, by how many cells it distinguishes, in units of the number's variance.
    """

    reach: float
    kept: float
    noise: Callable[[int], float]


def residuals_cut_at(reach: float, epsilon: float) -> Sending:
    """Return how residuals are sent if they are normal and cut at `reach` standard deviations."""
    kept, square = cut_normal(reach)
    spread = square / reach**2
    return Sending(reach, kept, lambda cells: best_pair_response(epsilon, cells, spread).noise(spread) * reach**2)


def best_parts(
    before: Before, n_people: int, sending: Sending
) -> tuple[tuple[tuple[Asking, float], ...], float, float]:
    """Return questions with the share of people that each is for, the reach, and the expected error in the end."""
    return _Greedy(before, n_people, sending).plan()


class _Greedy:
    """People are taken part after part; each part is asked what lowers the expected error most, after the ones before.

    What is unknown is taken to be normal: sums s = G a + noise of variance N, of numbers a with covariance C, leave
    C - C G' (G C G' + N)^-1 G C. Of features that are alike, the same is computed once.
    """

    def __init__(self, before: Before, n: int, sending: Sending) -> None:
        self._before, self._menu = before, before.menu
        self._parts = max(PARTS, before.n_features)
        self._reach, self._part, self._precision = sending.reach, n / self._parts, before.precision
        self._kept = sending.kept
        self._cells, self._sizes = before.cells, np.array(before.cells, dtype=np.int64)
        self._noise = {c: sending.noise(c) for c in {1, *self._cells} if c}
        self._doubts, self._kinds = list(before.doubts), list(before.kinds)
        self._gains: dict[int, Floats] = {}  # of lists of several questions
        self._most = np.full(len(self._menu), np.inf)
        self._often = np.zeros(len(self._menu), dtype=np.int64)
        self._current: set[int] = set()
        self._found: dict[Hashable, Floats | float] = {}
        self._left: dict[Hashable, tuple[Doubt, int]] = {}
        self._tells: dict[Hashable, Told | ManyTold] = {}

    def plan(self) -> tuple[tuple[tuple[Asking, float], ...], float, float]:
        """Take all parts."""
        before = sum(doubt.total for doubt in self._doubts)
        chosen: dict[Asking, float] = {}
        for part in range(self._parts):
            at, which = self._best(self._allowed(part))
            asking = self._menu[at][which] if at >= 0 else Asking()
            chosen[asking] = chosen.get(asking, 0.0) + 1 / self._parts
            self._precision += self._told(asking.n_cells) if asking.signs is None else 0.0
            if at >= 0:
                self._learn(at, which)
                self._often += [askings[0].features == asking.features for askings in self._menu]
        left = sum(doubt.total for doubt in self._doubts)
        explained = self._before.explained + before - left
        error = self._public(self._precision) + left + explained * CUT * (1 - self._kept) ** 2
        return tuple(chosen.items()), self._reach, error

    def _public(self, precision: float) -> float:
        """Return the expected error of the public prediction: s / (1 + s t) for each number, told with precision t.

        Public features are taken to explain as much as they do already, or `PUBLIC` if that is more.
        """
        numbers, spread = min(1 + self._before.n_public, MOST_NUMBERS), self._before.spread
        share = max(PUBLIC, 1 - 1 / spread)
        return float(share * spread / (1 + share / numbers * precision))

    def _told(self, cells: int) -> float:
        """Return the precision that a part of the people, asked with so many cells, adds to the public prediction."""
        return self._part * self._kept**2 / self._noise[cells] * self._before.spread

    def _allowed(self, part: int) -> Bools:
        """Return which lists of the menu a part of the people may be asked from.

        Where all features are asked about evenly, it is those that fewest have been asked about.
        """
        allowed = np.ones(len(self._menu), dtype=np.bool_)
        if self._before.where:
            features = len({askings[0].features for askings in self._menu[: self._before.where]})
            telling = features * math.ceil(WHERE * self._parts / features)  # each as often
            allowed = (np.arange(len(allowed)) < self._before.where) == (part < telling)
        if self._before.evenly and allowed.any():
            allowed &= self._often == self._often[allowed].min()
        return allowed

    def _best(self, allowed: Bools) -> tuple[int, int]:
        """Return the question with the largest gain, as its places on the menu; -1 is the residual alone.

        Gains only fall as more is known, so a question whose last known gain is too small need not be looked at.
        """
        now = self._public(self._precision)
        public = np.zeros(max(self._noise) + 1)  # by number of cells; signs have 0 here
        for cells in self._noise:
            public[cells] = now - self._public(self._precision + self._told(cells))
        most, best = float(public[1]) + LEAST, (-1, 0)
        beside = public[self._sizes]
        bound = np.where(allowed, self._most + beside, -np.inf)
        for at in np.argsort(-bound, kind="stable").tolist():
            if bound[at] <= most:
                break
            if at not in self._current:
                self._most[at] = self._lowers(at)
                self._current.add(at)
            gain = float(self._most[at] + beside[at])
            if gain > most:
                most, best = gain, (at, 0 if self._cells[at] else int(np.argmax(self._gains[at])))
        return best

    def _rows(self, at: int, family: int, how: Hashable) -> Floats:
        """Return what sums tell of a family, per person."""
        shows = self._before.shows
        if (family, how) not in shows:
            shows[family, how] = shown(self._menu[at], self._before.doubts[family])
        return shows[family, how]

    def _told_of(self, at: int, family: int, how: Hashable) -> Told | ManyTold:
        """Return what the sums of a question about cells tell of a family; see `tells`."""
        kind = self._kinds[family]
        tells = self._before.tells if kind < len(self._doubts) else self._tells
        if (kind, how) not in tells:
            tells[kind, how] = told_by_rows(self._doubts[family], self._rows(at, family, how))
        return tells[kind, how]

    def _noise_of(self, at: int, n_sums: int) -> float:
        """Return the noise variance of each sum, per person, from a part of the people.

        A sum by signs is also wrong as people are not quite where they are thought to be: by e u, squared, if effects
        explain e, and u is what is unclear of where people are.
        """
        asking = self._menu[at][0]
        if asking.signs is not None:
            return self._noise[1] / self._part + self._before.explained * self._before.unclear[asking.features]
        return self._noise[asking.n_cells] / n_sums / self._part

    def _lowers(self, at: int) -> float:
        """Return by how much the best question of a list lowers what is unknown; gains of several are kept."""
        cells = self._cells[at]
        gain: Floats | float = 0.0 if cells else np.zeros(len(self._menu[at]))
        for family, how in self._before.told_of[at]:
            alike = self._kinds[family], how, cells
            if alike not in self._found:
                self._found[alike] = self._lowered(at, family, how)
            gain = gain + self._found[alike]
        if isinstance(gain, float):
            return gain
        self._gains[at] = gain
        return float(gain.max())

    def _lowered(self, at: int, family: int, how: Hashable) -> Floats | float:
        """Return by how much each question of a list lowers the doubt of a family."""
        if self._cells[at]:
            told = self._told_of(at, family, how)
            return told.gain(self._kept, self._noise_of(at, told.n_sums))
        doubt, rows = self._doubts[family], self._kept * self._rows(at, family, how)
        noise = self._noise_of(at, len(rows))
        moved = rows @ doubt.covariance
        ways, spread = doubt.ways[:, None], (moved * rows).sum(axis=1)
        lowered = doubt.telling * (moved**2 @ doubt.people)
        return np.asarray((ways**2 / (ways * spread + noise)).sum(axis=0) * lowered)

    def _learn(self, at: int, which: int) -> None:
        """Take off what a part of the people tells."""
        asking = self._menu[at][which]
        for family, how in self._before.told_of[at]:
            doubt, alike = self._doubts[family], (self._kinds[family], how, self._cells[at], which)
            if alike not in self._left:
                if asking.signs is None:
                    told = self._told_of(at, family, how)
                else:
                    told = Told.of(doubt, self._rows(at, family, how)[which : which + 1])
                kind = len(self._doubts) + len(self._left)
                left = doubt.with_left(told.left(self._kept, self._noise_of(at, told.n_sums)))
                self._left[alike] = left, kind
            left, self._kinds[family] = self._left[alike]
            self._doubts[family] = replace(doubt, covariance=left.covariance, worth=left.worth)
        self._current = {k for k in self._current if not set(self._menu[k][0].features) & set(asking.features)}
