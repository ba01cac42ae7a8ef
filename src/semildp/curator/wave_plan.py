"""What the next people should be asked: part after part of them, the question that is expected to help most."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from semildp._kernels.blas import one_blas_thread
from semildp.curator.effects.doubts import Doubt, merged, unknown
from semildp.curator.effects.fitting import ALONE, MOST_LIKELY, PAIRED, Found, expected_effects
from semildp.curator.effects.functions import Family
from semildp.curator.pair_plan import cut_normal
from semildp.curator.wave_greedy import Before, Sending, best_parts, residuals_cut_at
from semildp.curator.wave_menu import Asking, cells_menu, signs_menu

REACHES = (0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)
MOST_DOUBT = 0.1  # of the residuals' variance: more is not thought to be unknown of one family; a guess
UNLIKELY = 0.3  # guess: a feature whose effects are by this factor less likely than before is not asked about again
ENOUGH = 10.0  # people whose cells are known: a correlation of .9 is seen, at more than two standard errors
# Plans expect twice as many pairs of private features to have an effect together as the model does. Coarse bins show
# little of one, so a first weak look misses it, and if nobody is asked again it stays missed; looking costs few people.
PLANNED_PAIRS = 2 * PAIRED
LEFT = 0.5  # guess: of how far cut residuals lean to one side, so much is left once it is taken off
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
        What labels so far tell of a mean: their number over their noise variance, in units of the labels' variance.
    spread
        The labels' variance, in units of the residuals'.
    explained
        What effects found so far explain, in units of the residuals' variance.
    likely
        For private features, the probability that there is an effect of it, alone or with another.
    told
        For private features and pairs of them, how many people whose cells are known would tell as much of where
        people are as reports so far.
    unclear
        For private numbers and pairs of them, how far people may be elsewhere than is thought: see `Whereabouts`.
    leans
        Returns how far residuals lean to one side if they are cut at so many standard deviations, in standard
        deviations; None: not at all.
    """

    doubt: Mapping[Family, Doubt]
    values: Mapping[int, int | None]
    n_public: int
    precision: float
    spread: float = 1.0
    explained: float = 0.0
    likely: Mapping[int, float] = field(default_factory=dict)
    told: Mapping[tuple[int, ...], float] = field(default_factory=dict)
    unclear: Mapping[tuple[int, ...], float] = field(default_factory=dict)
    leans: Callable[[float], float] | None = None

    def after(
        self,
        found: Found,
        unit: float,
        told: Mapping[tuple[int, ...], float],
        unclear: Mapping[tuple[int, ...], float],
    ) -> Known:
        """Return what is known once effects have been looked for; `unit` is the residuals' variance."""
        doubt = {**self.doubt, **{family: each * (1 / unit) for family, each in found.doubt.items()}}
        features = {j for family in found.likely for j in family if j in self.values}
        likely = {j: max(p for family, p in found.likely.items() if j in family) for j in features}
        return replace(self, doubt=doubt, explained=found.explained / unit, likely=likely, told=told, unclear=unclear)


def nothing_known(values: Mapping[int, int | None], public: tuple[int, ...]) -> dict[Family, Doubt]:
    """Return what is unknown of every family before anyone is asked."""
    families: list[Family] = [*((j,) for j in values), *itertools.product(values, public)]
    if len(values) <= MOST_TOGETHER:
        families += itertools.combinations(values, 2)
    likely = expected_effects(families, values, len(values))
    return {family: unknown(family, dict(values), likely[family]) for family in families}


def looked_for(private: tuple[int, ...], told: Mapping[tuple[int, ...], float], last: Plan) -> tuple[int, ...]:
    """Return the private features whose effects are looked for in the end.

    Of many only those count that were asked about two at a time, or last: others may go together with these, and would
    be counted twice.
    """
    if len(private) <= MOST_TOGETHER:
        return private
    asked = [group for group, people in told.items() if len(group) == 2 and people >= ENOUGH]
    return tuple(sorted({j for group in asked for j in group})) or last.features


@one_blas_thread()
def plan_question(known: Known, n_people: int, epsilon: float, last: Plan | None = None) -> Plan:
    """Choose what to ask, and where to cut residuals: looked for from where the last plan did, or with least noise."""
    before = _before(known, _menu(known))
    plans: dict[int, Plan] = {}

    def plan(at: int) -> Plan:
        if at not in plans:
            found = Plan(*best_parts(before, n_people, residuals_cut_at(REACHES[at], epsilon)))
            leans = 0.0 if known.leans is None else known.leans(found.reach)
            plans[at] = replace(found, error=found.error + (LEFT * leans) ** 2)
        return plans[at]

    at = REACHES.index(_least_noise(epsilon) if last is None else last.reach)
    while True:  # downhill
        near = [k for k in (at - 1, at, at + 1) if 0 <= k < len(REACHES)]
        best = min(near, key=lambda k: plan(k).error)
        if best == at:
            return plan(at)
        at = best


def _least_noise(epsilon: float) -> float:
    """Return the reach with which residuals alone tell most of a mean."""
    each = [residuals_cut_at(reach, epsilon) for reach in REACHES]
    return min(each, key=lambda sending: sending.noise(1) / sending.kept**2).reach


@one_blas_thread()
def plan_cells(known: Known, n_people: int, sending: Sending) -> Plan:
    """Choose what to ask, about cells alone, where it is given how numbers are sent."""
    menu = _menu(known)
    cells = [askings for askings in menu.askings if askings[0].signs is None]
    return Plan(*best_parts(_before(known, replace(menu, askings=cells)), n_people, sending))


def _before(known: Known, menu: _Menu) -> Before:
    unclear = {group: known.unclear.get(group, 1 / people) for group, people in known.told.items() if people}
    about = known.n_public, known.precision, known.spread, known.explained, unclear
    return Before(menu.askings, _together(known), *about, menu.evenly, menu.where)


def _together(known: Known) -> list[Doubt]:
    """Return what is unknown; of all families of one private feature and a public one, as one."""
    alone, mixed = list[Doubt](), dict[int, list[Doubt]]()
    for family, doubt in known.doubt.items():
        capped = doubt * min(1.0, MOST_DOUBT / max(doubt.average, 1e-300))
        if len(doubt.private) < len(family):
            mixed.setdefault(doubt.private[0], []).append(capped)
        else:
            alone.append(capped)
    return [*alone, *(merged(doubts) for doubts in mixed.values())]


@dataclass(frozen=True)
class _Menu:
    """Questions, and how they are taken: see `Before`."""

    askings: list[list[Asking]]
    evenly: bool = False
    where: int = 0


def _menu(known: Known) -> _Menu:
    """Return questions: lists of one about cells, or of several with signs about the same features.

    Cells are first asked about evenly: they must tell whether features go together, and where people are, not in
    halves of an axis only, as a number may be 0 or 1. Of few features a part of the people tell where they are, one
    feature at a time, which takes far less noise than two; the others are asked about two. Of many features each is
    asked about at first; then the few that are likeliest to have an effect, two at a time.
    """
    usual = min(ALONE / max(len(known.values), 1), MOST_LIKELY)
    worth = [j for j in known.values if known.likely.get(j, usual) >= UNLIKELY * usual]
    many = len(known.values) > MOST_TOGETHER
    if many and known.likely:
        worth = sorted(sorted(worth, key=lambda j: -known.likely.get(j, usual))[:MOST_TOGETHER])
    singles: list[tuple[int, ...]] = [(j,) for j in worth]
    pairs: list[tuple[int, ...]] = list(itertools.combinations(worth, 2))
    first = singles if many and not known.likely else pairs or singles
    untold = [group for group in first if not known.told.get(group)]
    if untold and (many or not known.told):
        first_cells = [asking for group in untold for asking in cells_menu(group, known.values)]
        if many:
            return _Menu([[asking] for asking in first_cells if _tells_where(asking, known)], evenly=True)
        alone = (asking for group in singles for asking in cells_menu(group, known.values))
        where = [asking for asking in alone if _tells_where(asking, known)]
        return _Menu([[asking] for asking in (*where, *first_cells)], evenly=True, where=len(where))
    groups = [*singles, *pairs]
    cells = (asking for group in groups for asking in cells_menu(group, known.values))
    signs = (signs_menu(group, known.values) for group in groups if known.told.get(group))
    return _Menu([*([asking] for asking in cells), *signs])


def _tells_where(asking: Asking, known: Known) -> bool:
    """Say whether a question tells apart more than the halves of a number's axis, if it is about numbers."""
    numbers = [b for j, b in zip(asking.features, asking.bins, strict=True) if known.values[j] is None]
    return not numbers or max(numbers) > 2
