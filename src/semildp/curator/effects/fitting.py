"""Finding effects one after the other: each time the likeliest family, averaged over all its functions."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit, logit, softmax

from semildp._arrays import Floats
from semildp.curator.effects.doubts import Doubt, average, doubt_of, either
from semildp.curator.effects.evidence import SHARES, Posterior, posterior
from semildp.curator.effects.explained import Explained
from semildp.curator.effects.functions import Family, Functions
from semildp.curator.effects.quadrants import Quadrants, quadrants
from semildp.curator.effects.reading import Reading
from semildp.curator.effects.stacked import Weighing

MOST_EFFECTS = 16  # found at most
FAR = -1.0  # log odds of an effect, below which it is not judged again as long as others are likelier than none
MOST_MIXED = 24  # families of a private and a public feature that are looked at more than once
LEAST = 1e-3  # of the residuals' variance: an effect that explains less is not in the model
ALONE = 2.0  # guess: of all private features, so many have an effect of their own
MOST_LIKELY = 0.8  # guess: how likely an effect is at most, before anyone is asked
MIXED = 1.0  # guess: so many pairs of a private and a public feature have an effect together
FOUR = 0.7  # guess: of pairs that have an effect together, so many have one table of four means with their single ones
PAIRED = 0.33  # guess: so many pairs of private features have one


@dataclass(eq=False)
class Found:
    """Effects, and what is still unknown of every family.

    Parameters
    ----------
    effects
        Mean and variance of the sum of effects of each family, over its places.
    doubt
        What is unknown of the effects of each family, further ones included.
    likely
        Probability that there is an effect of each family, if there is none of the others that were not found.
    explained
        Mean square of all effects found, added up.
    """

    effects: dict[Family, tuple[Floats, Floats]] = field(default_factory=dict)
    doubt: dict[Family, Doubt] = field(default_factory=dict)
    likely: dict[Family, float] = field(default_factory=dict)
    explained: float = 0.0


def fit_effects(
    asked: list[Reading],
    functions: Functions,
    shares: dict[int, Floats],
    private: list[int],
    numbers: list[int],
    unit: float,
    n_private: int,
    paired: float = PAIRED,
) -> Found:
    """Find the effects of private features, alone and with another feature.

    Reports are explained by one effect more as long as one is likelier than none. The likeliest family is chosen and
    its effect, averaged over all functions by how likely each is, is added; then the next. In the end, when no family
    is likelier than none, each is added by how likely it is.

    Parameters
    ----------
    asked
        Reports to each question.
    functions, shares
        Functions of each feature, and the share of people at each place.
    private, numbers
        The features that are not in the public prediction, and which of them are no categories.
    unit
        Variance of residuals.
    n_private
        How many private features there are, those included that nobody was asked about.
    paired
        As in `expected_effects`.
    """
    search = _Search(asked, functions, shares, private, numbers, unit, n_private, paired)
    each = search.all_found(_families(private, sorted(functions.values)))
    tables = search.tables()
    search.resize()
    for (p, _), chance in zip(each, _chances(each), strict=True):
        search.note(p, chance)  # nothing is judged beside these
    for table, chance in tables:
        search.mix(table, chance)
    found = search.found
    found.explained = sum(average(mean**2, [shares[j] for j in family]) for family, (mean, _) in found.effects.items())
    return found


class _Search:
    """What has been found, and how likely further effects are."""

    def __init__(
        self,
        asked: list[Reading],
        functions: Functions,
        shares: dict[int, Floats],
        private: list[int],
        numbers: list[int],
        unit: float,
        n_private: int,
        paired: float,
    ) -> None:
        usual = float(np.sqrt(np.mean(SHARES) * unit))
        values, spread = functions.values, functions.variance
        lines = {j: usual * values[j][0] / np.sqrt(spread[j][0]) for j in numbers}  # of usual size
        self.found, self._sums = Found(), Explained(asked, lines)
        self._functions, self._shares, self._private, self._unit = functions, shares, private, unit
        self._price: dict[Family, float] = {}
        self._seen: dict[Family, list[int]] = {}
        self._weighing = Weighing(functions, self._sums)
        families = _families(private, sorted(values))
        self._expected = expected_effects(families, private, n_private, paired)
        self._usual = expected_effects(families, private, n_private)  # plans expect more pairs, but no more tables

    def all_found(self, families: list[Family]) -> list[tuple[Posterior, float]]:
        """Add effects until none is likelier than none; return what is known of the other families.

        Families that are far less likely are judged again only when no other is likelier than none: little changes.
        """
        families = self.screened(families)
        each = self.judge(families)
        for more in reversed(range(MOST_EFFECTS)):
            new, log_odds = max(each, key=lambda judged: judged[1], default=(None, -np.inf))
            if new is None or log_odds < 0:
                break
            self.add(new, float(sum(_chances(each))), log_odds)
            self.balance()
            left = [(p, log_odds) for p, log_odds in each if p is not new]
            near = self.judge([p.family for p, log_odds in left if log_odds >= FAR])
            far = [(p, log_odds) for p, log_odds in left if log_odds < FAR]
            if not more or all(log_odds < 0 for _, log_odds in near):
                far = self.judge([p.family for p, _ in far])
            each = [*near, *far]
        return each

    def judge(self, families: list[Family], *, curves: bool = True) -> list[tuple[Posterior, float]]:
        """Return what is known of a further effect of each family, and the log odds that there is one.

        Without curves it takes less time.
        """
        judged = []
        for family in families:
            if family not in self._seen:
                self._seen[family] = [k for k, reading in enumerate(self._sums.asked) if reading.sees(family)]
            seen = self._seen[family]
            if not seen:
                continue
            weighed = self._weighing.weigh(seen, family, curves=curves)
            p = posterior(self._functions, family, weighed.beside(self._sums.others(family)), self._unit)
            log_odds = p.log_odds + float(logit(self._expected[family]))
            judged.append((p, log_odds))
            self.found.likely[family] = float(expit(log_odds))
        return judged

    def screened(self, families: list[Family]) -> list[Family]:
        """Keep families of private features, and the likeliest of those with a public one, judged without curves."""
        mixed: list[Family] = [f for f in families if len(f) == 2 and f[1] not in self._private]
        if len(mixed) <= MOST_MIXED:
            return families
        log_odds = {p.family: log_odds for p, log_odds in self.judge(mixed, curves=False)}
        likeliest = sorted(mixed, key=lambda f: -log_odds.get(f, -np.inf))[:MOST_MIXED]
        return [f for f in families if f not in mixed or f in likeliest]

    def note(self, new: Posterior, chance: float) -> Floats:
        """Note an effect that is there with probability `chance`; return its mean, chance * mean."""
        self.found.doubt[new.family] = doubt_of(new, self._functions, self._shares, self._private, chance)
        mean = chance * new.mean
        self.found.effects[new.family] = mean, chance * (new.variance + new.mean**2) - mean**2
        return mean

    def add(self, new: Posterior, chance: float, log_odds: float) -> None:
        """Add an effect to those beside which others are judged."""
        self._price[new.family] = new.fit - log_odds
        mean = self.note(new, chance)
        square = average(self.found.effects[new.family][0] ** 2, [self._shares[j] for j in new.family])
        self._sums.add(new.family, mean, square / (max(SHARES) * self._unit))

    def balance(self) -> None:
        """Fit the sizes of all effects together."""
        self._scale(self._sums.balance())

    def tables(self) -> list[tuple[Quadrants, float]]:
        """Return tables of four means for pairs of private features, each likeliest for its features, with chances."""
        judged = []
        for family in itertools.combinations(self._private, 2):
            table = quadrants(self._functions, self._sums, family, self._unit)
            if table is not None:
                its: list[Family] = [family, *((j,) for j in family)]
                against = self._sums.gain(its) - sum(self._price.get(each, 0.0) for each in its)
                likely = float(logit([FOUR, *(self._usual[each] for each in its)]).sum())
                judged.append((table.log_odds + likely - against, family, table))
        found, taken = [], set[int]()
        for log_odds, family, table in sorted(judged, key=lambda each: -each[0]):
            if not taken & set(family):
                taken |= set(family)
                found.append((table, float(expit(log_odds))))
        return found

    def mix(self, table: Quadrants, chance: float) -> None:
        """Put a table of four means, by its chance, in the place of the effects of its features."""
        found = self.found
        for family, p in table.effects.items():
            mean, variance = found.effects.get(family, (np.zeros_like(p.mean), np.zeros_like(p.mean)))
            both = (1 - chance) * mean + chance * p.mean
            second = (1 - chance) * (variance + mean**2) + chance * p.second
            found.effects[family] = both, np.maximum(second - both**2, 0.0)
            doubt = doubt_of(p, self._functions, self._shares, self._private, 1.0)
            if family in found.doubt:
                doubt = either(found.doubt[family], doubt, chance, p.mean - mean, [self._shares[j] for j in family])
            found.doubt[family] = doubt
            found.likely[family] = max(found.likely.get(family, 0.0), chance)

    def resize(self) -> None:
        """Fit the sizes once more, in the end."""
        self._scale(self._sums.resize())

    def _scale(self, factors: Iterable[tuple[Family, float]]) -> None:
        """Scale effects.

        One that seemed to be nothing may become much larger; it is never known less than before anyone was asked.
        """
        for family, factor in factors:
            mean, variance = self.found.effects[family]
            scaled = factor**2 * variance
            most = max(SHARES) * self._unit / max(average(scaled, [self._shares[j] for j in family]), 1e-300)
            self.found.effects[family] = factor * mean, min(most, 1.0) * scaled


def expected_effects(
    families: list[Family], private: Collection[int], n_private: int, paired: float = PAIRED
) -> dict[Family, float]:
    """Return how likely an effect of each family is before anyone is asked: of each kind so many are expected.

    `n_private` is how many private features there are, if these families are of some of them; `paired` is how many
    pairs of them are expected to have an effect together.
    """
    n_public = len({j for family in families for j in family if j not in private})
    alone, mixed, pairs = n_private, n_private * n_public, n_private * (n_private - 1) // 2
    kinds = {
        (True,): ALONE / max(alone, 1),
        (True, False): MIXED / max(mixed, 1),
        (True, True): paired / max(pairs, 1),
    }
    return {f: min(kinds[tuple(j in private for j in f)], MOST_LIKELY) for f in families}


def unseen(found: Found, private: Collection[int], n_private: int, n_public: int) -> float:
    """Return the mean square of effects of families that nothing was told of, in units of the residuals' variance.

    Before anyone is asked so many effects of each kind are expected; families that were judged are taken off.
    """
    judged = [tuple(j in private for j in family) for family in found.effects]
    kinds = (
        ((True,), ALONE, n_private),
        ((True, False), MIXED, n_private * n_public),
        ((True, True), PAIRED, n_private * (n_private - 1) // 2),
    )
    count = 0.0
    for kind, expected, families in kinds:
        left = max(families - judged.count(kind), 0)
        count += left * min(expected / max(families, 1), MOST_LIKELY)
    return count * float(np.mean(SHARES))


def _chances(each: list[tuple[Posterior, float]]) -> list[float]:
    """Return the probability of each family, if there is one further effect at most."""
    log_odds = np.array([0.0, *(o for _, o in each)])
    return [float(x) for x in softmax(log_odds)[1:]]


def _families(private: list[int], known: list[int]) -> list[Family]:
    """Each private feature alone, each with each public one, and each two private ones; the private feature first."""
    public = [k for k in known if k not in private]
    alone: list[Family] = [(j,) for j in private]
    return [*alone, *itertools.product(private, public), *itertools.combinations(private, 2)]
