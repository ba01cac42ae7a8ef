"""What the next people should be asked: part after part of them, the question that is expected to help most."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from semildp._arrays import Floats
from semildp.curator.effects.doubts import Doubt, merged, unknown
from semildp.curator.effects.fitting import ALONE, MOST_LIKELY, Found, expected_effects
from semildp.curator.effects.reading import Family
from semildp.curator.pair_plan import MOST_NUMBERS, PUBLIC_SHARE, cut_normal
from semildp.curator.wave_menu import Asking, cells_menu, shown, signs_menu
from semildp.mechanisms import best_pair_response

REACHES = (0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)
PARTS = 12  # of the people, at least, each of which is asked one thing; as many as there are features
MOST_DOUBT = 0.1  # of the residuals' variance: more is not thought to be unknown of one family; a guess
CUT = 0.25  # guess: error of what is explained, of cut residuals that are stretched, in units of (1 - kept)^2
UNLIKELY = 0.3  # guess: a feature whose effects are by this factor less likely than before is not asked about again
ENOUGH = 30.0  # people whose cells are known: a correlation of .9 is seen, at four standard errors
WORTH = 0.8  # guess: what a gain by signs is worth: unlike cells, they do not tell where people are
LEAST = 1e-4  # guess: by how much more than the residual alone a question must lower the error, to be asked
MOST_TOGETHER = 4  # features that are asked about two at a time: six pairs


@dataclass(frozen=True)
class Plan:
    """What is asked of people who hide features.

    Parameters
    ----------
    asks
        Questions, and the share of people that each is for.
    reach
        Where residuals are cut, in their standard deviations.
    error
        Expected error of the model in the end, in units of the residuals' variance.
    """

    asks: tuple[tuple[Asking, float], ...]
    reach: float
    error: float

    @property
    def spread(self) -> float:
        """Mean square of cut residuals, in units of the squared reach."""
        return cut_normal(self.reach)[1] / self.reach**2

    @property
    def features(self) -> tuple[int, ...]:
        """The private features that somebody is asked about."""
        return tuple(sorted({j for asking, _ in self.asks for j in asking.features}))


@dataclass(frozen=True)
class Known:
    """What is known before the next people are asked.

    Parameters
    ----------
    doubt
        What is still unknown of every family of effects, in units of the residuals' variance.
    values
        Number of values of each private category; None for a number.
    n_public
        How many public features there are.
    precision
        What labels so far tell of a mean: their number over their noise variance, in units of the residuals' variance.
    explained
        What effects found so far explain, in units of the residuals' variance.
    likely
        For private features, the probability that there is an effect of it, alone or with another.
    told
        For private features and pairs of them, how many people whose cells are known would tell as much of where
        people are as reports so far.
    """

    doubt: Mapping[Family, Doubt]
    values: Mapping[int, int | None]
    n_public: int
    precision: float
    explained: float = 0.0
    likely: Mapping[int, float] = field(default_factory=dict)
    told: Mapping[tuple[int, ...], float] = field(default_factory=dict)

    def after(self, found: Found, unit: float, told: Mapping[tuple[int, ...], float]) -> Known:
        """Return what is known once effects have been looked for; `unit` is the residuals' variance."""
        doubt = {**self.doubt, **{family: each * (1 / unit) for family, each in found.doubt.items()}}
        features = {j for family in found.likely for j in family if j in self.values}
        likely = {j: max(p for family, p in found.likely.items() if j in family) for j in features}
        return replace(self, doubt=doubt, explained=found.explained / unit, likely=likely, told=told)


def nothing_known(values: Mapping[int, int | None], public: tuple[int, ...]) -> dict[Family, Doubt]:
    """Return what is unknown of every family before anyone is asked."""
    families: list[Family] = [*((j,) for j in values), *itertools.product(values, public)]
    if len(values) <= MOST_TOGETHER:
        families += itertools.combinations(values, 2)
    likely = expected_effects(families, values, len(values))
    return {family: unknown(family, dict(values), likely[family]) for family in families}


def plan_question(known: Known, n_people: int, epsilon: float) -> Plan:
    """Choose what to ask, and where to cut residuals."""
    menu = _menu(known)
    doubts = _together(known)
    shows: dict[tuple[int, int], Floats] = {}
    plans: dict[int, Plan] = {}

    def plan(at: int) -> Plan:
        if at not in plans:
            plans[at] = _Greedy(known, n_people, epsilon, REACHES[at], menu, doubts, shows).plan()
        return plans[at]

    at = len(REACHES) // 2
    while True:  # downhill
        near = [k for k in (at - 1, at, at + 1) if 0 <= k < len(REACHES)]
        best = min(near, key=lambda k: plan(k).error)
        if best == at:
            return plan(at)
        at = best


def _together(known: Known) -> list[Doubt]:
    """Return what is unknown; of all families of one private feature and a public one, as one."""
    alone, mixed = list[Doubt](), dict[int, list[Doubt]]()
    for family, doubt in known.doubt.items():
        capped = doubt * min(1.0, MOST_DOUBT / max(doubt.total, 1e-300))
        if len(doubt.private) < len(family):
            mixed.setdefault(doubt.private[0], []).append(capped)
        else:
            alone.append(capped)
    return [*alone, *(merged(doubts) for doubts in mixed.values())]


def _menu(known: Known) -> list[list[Asking]]:
    """Return questions: lists of one about cells, or of several with signs about the same features.

    Signs come after cells: these must tell where people are, and whether features go together. Of many features each
    is asked about first; then the few that are likeliest to have an effect, two at a time.
    """
    usual = min(ALONE / max(len(known.values), 1), MOST_LIKELY)
    worth = [j for j in known.values if known.likely.get(j, usual) >= UNLIKELY * usual]
    if len(known.values) > MOST_TOGETHER:
        if not known.likely:
            return [[asking] for j in worth for asking in cells_menu((j,), known.values)]
        worth = sorted(sorted(worth, key=lambda j: -known.likely.get(j, usual))[:MOST_TOGETHER])
    singles: list[tuple[int, ...]] = [(j,) for j in worth]
    pairs: list[tuple[int, ...]] = list(itertools.combinations(worth, 2))
    first = pairs or singles
    ready = all(known.told.get(group, 0.0) >= ENOUGH for group in first)
    groups = [*singles, *pairs] if ready else first
    cells = [[asking] for group in groups for asking in cells_menu(group, known.values)]
    return [*cells, *(signs_menu(group, known.values) for group in groups)] if ready else cells


class _Greedy:
    """People are taken part after part; each part is asked what lowers the expected error most, after the ones before.

    What is unknown is taken to be normal: sums s = G a + noise of variance N, of numbers a with covariance C, leave
    C - C G' (G C G' + N)^-1 G C.
    """

    def __init__(
        self,
        known: Known,
        n: int,
        epsilon: float,
        reach: float,
        menu: list[list[Asking]],
        doubts: list[Doubt],
        shows: dict[tuple[int, int], Floats],
    ) -> None:
        self._known, self._menu, self._shows = known, menu, shows
        self._parts = max(PARTS, len({j for askings in menu for j in askings[0].features}))
        self._reach, self._part, self._precision = reach, n / self._parts, known.precision
        self._kept, square = cut_normal(reach)
        spread = square / reach**2
        cells = {1, *(askings[0].n_cells for askings in menu)}
        self._noise = {c: best_pair_response(epsilon, c, spread).noise(spread) * reach**2 for c in cells}
        self._doubts = dict(enumerate(doubts))
        self._gains = [np.full(len(askings), np.inf) for askings in menu]
        self._current: set[int] = set()

    def plan(self) -> Plan:
        """Take all parts."""
        before = sum(doubt.total for doubt in self._doubts.values())
        chosen: dict[Asking, float] = {}
        for _ in range(self._parts):
            at, which = self._best()
            asking = self._menu[at][which] if at >= 0 else Asking()
            chosen[asking] = chosen.get(asking, 0.0) + 1 / self._parts
            self._precision += self._told(asking.n_cells) if asking.signs is None else 0.0
            if at >= 0:
                self._learn(at, which)
        left = sum(doubt.total for doubt in self._doubts.values())
        explained = self._known.explained + before - left
        error = self._public(self._precision) + left + explained * CUT * (1 - self._kept) ** 2
        return Plan(tuple(chosen.items()), self._reach, error)

    def _public(self, precision: float) -> float:
        """Return the expected error of the public prediction: s / (1 + s t) for each number, told with precision t."""
        numbers = min(1 + self._known.n_public, MOST_NUMBERS)
        return float(PUBLIC_SHARE / (1 + PUBLIC_SHARE / numbers * precision))

    def _told(self, cells: int) -> float:
        """Return the precision that a part of the people, asked with so many cells, adds to the public prediction."""
        return self._part * self._kept**2 / self._noise[cells]

    def _best(self) -> tuple[int, int]:
        """Return the question with the largest gain, as its places on the menu; -1 is the residual alone.

        Gains only fall as more is known, so a question whose last known gain is too small need not be looked at.
        """
        now = self._public(self._precision)
        public = {cells: now - self._public(self._precision + self._told(cells)) for cells in self._noise}
        most, best = public[1] + LEAST, (-1, 0)
        bound = [
            float(gains.max()) + (public[askings[0].n_cells] if askings[0].signs is None else 0.0)
            for gains, askings in zip(self._gains, self._menu, strict=True)
        ]
        for at in sorted(range(len(bound)), key=lambda k: -bound[k]):
            if bound[at] <= most:
                break
            askings = self._menu[at]
            if at not in self._current:
                families = [f for f, doubt in self._doubts.items() if set(doubt.private) <= set(askings[0].features)]
                self._gains[at] = sum((self._gain(at, family) for family in families), np.zeros(len(askings)))
                self._current.add(at)
            gain = self._gains[at] + (public[askings[0].n_cells] if askings[0].signs is None else 0.0)
            which = int(np.argmax(gain))
            if gain[which] > most:
                most, best = float(gain[which]), (at, which)
        return best

    def _rows(self, at: int, family: int) -> tuple[Floats, float]:
        """Return what sums tell of a family, and the noise variance of each, per person, from a part of the people.

        A sum by signs is also wrong as people are not quite where they are thought to be: by e / w, squared, if effects
        explain e and w people whose cells are known would tell as much of where people are.
        """
        if (at, family) not in self._shows:
            self._shows[at, family] = shown(self._menu[at], self._doubts[family])
        rows, asking = self._kept * self._shows[at, family], self._menu[at][0]
        if asking.signs is not None:
            misread = self._known.explained / self._known.told[asking.features]
            return rows, self._noise[1] / self._part + misread
        return rows, self._noise[asking.n_cells] / len(rows) / self._part

    def _gain(self, at: int, family: int) -> Floats:
        """Return by how much each question of a list lowers the doubt of a family."""
        doubt, (rows, noise) = self._doubts[family], self._rows(at, family)
        moved = rows @ doubt.covariance
        if self._menu[at][0].signs is not None:
            ways, spread = doubt.ways[:, None], (moved * rows).sum(axis=1)
            return np.asarray(WORTH * (ways**2 / (ways * spread + noise)).sum(axis=0) * (moved**2 @ doubt.people))
        along, told = _along(doubt, rows, noise)
        return np.array([float(told @ (along**2 @ doubt.people))])

    def _learn(self, at: int, which: int) -> None:
        """Take off what a part of the people tells."""
        asking = self._menu[at][which]
        for family, doubt in self._doubts.items():
            if set(doubt.private) <= set(asking.features):
                rows, noise = self._rows(at, family)
                rows = rows if asking.signs is None else rows[which : which + 1]
                along, told = _along(doubt, rows, noise)
                self._doubts[family] = replace(doubt, covariance=doubt.covariance - (along.T * told) @ along)
        self._current = {k for k in self._current if not set(self._menu[k][0].features) & set(asking.features)}


def _along(doubt: Doubt, rows: Floats, noise: float) -> tuple[Floats, Floats]:
    """Return a, t with C G' (G C G' + N)^-1 G C = a' diag(t) a, averaged over the ways an effect varies in public."""
    moved, ways = rows @ doubt.covariance, doubt.ways[:, None]
    gram = moved @ rows.T
    if doubt.ways[0] == 1:  # one way: a triangular factor will do
        root = np.linalg.cholesky(gram + noise * np.eye(len(rows)))
        return np.linalg.solve(root, moved), np.ones(len(rows))
    spread, axes = np.linalg.eigh(gram)
    return axes.T @ moved, (ways**2 / (ways * np.maximum(spread, 0.0) + noise)).sum(axis=0)
