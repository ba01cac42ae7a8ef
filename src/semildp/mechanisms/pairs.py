"""How a pair (candidate, level) is best sent, and what the marks that a report leaves are worth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from semildp._arrays import Floats, Ints
from semildp._checks import finite_number, one_of, privacy_parameter, whole_number
from semildp.errors import refusal
from semildp.mechanisms.generalised_response import GeneralisedResponse
from semildp.mechanisms.paired_response import PairedResponse
from semildp.mechanisms.subset_response import SubsetResponse
from semildp.sources import Source

KINDS = ("generalised", "subset", "paired")
MOST_SYMBOLS = 2**31
LEVELS_TRIED = (2, 3, 4, 5, 7, 9)
MANY_CANDIDATES = 2**12
_CHUNK = 2**22  # entries of reports held at a time; does not change what is drawn


@dataclass(frozen=True)
class PairResponse:
    """Sends (candidate, level) as the one private value candidate * levels + level, with all of epsilon.

    Whatever the mechanism, a report marks some of the values. Levels stand for numbers evenly spaced on [-1, 1]. A mark
    counts `per_mark` people in its candidate and `per_score` times its level's number; every candidate has `per_person`
    on top for each person, and then both sums are unbiased: levels being symmetric, false marks cancel in the second.

    Parameters
    ----------
    epsilon
        Privacy parameter of candidate and level together.
    n_candidates, levels
        How many there are of each.
    kind
        "generalised" (`GeneralisedResponse`), "subset" (`SubsetResponse`) or "paired" (`PairedResponse`, two levels).
    width
        Size of the subset; None is the one of least variance.
    """

    epsilon: float
    n_candidates: int
    levels: int
    kind: str
    width: int | None = None

    def __post_init__(self) -> None:
        one_of("kind", self.kind, KINDS)
        size = whole_number("n_candidates", self.n_candidates, 1, MOST_SYMBOLS // 2)
        levels = whole_number("levels", self.levels, 2, 2 if self.kind == "paired" else MOST_SYMBOLS // size)
        object.__setattr__(self, "n_candidates", size)
        object.__setattr__(self, "levels", levels)
        object.__setattr__(self, "epsilon", privacy_parameter("epsilon", self.epsilon))

    @cached_property
    def mechanism(self) -> GeneralisedResponse | SubsetResponse | PairedResponse:
        """The randomiser, and its claim."""
        if self.kind == "paired":
            return PairedResponse(self.epsilon, self.n_candidates)
        symbols = self.n_candidates * self.levels
        generalised = self.kind == "generalised"
        return (
            GeneralisedResponse(self.epsilon, symbols)
            if generalised
            else SubsetResponse(self.epsilon, symbols, self.width)
        )

    @property
    def scores(self) -> Floats:
        """The number each level stands for."""
        return np.linspace(-1.0, 1.0, self.levels)

    def send(self, candidate: Ints, level: Ints, source: Source) -> tuple[Ints, Ints]:
        """Randomise one pair per person; return the marks as (person, value)."""
        values = candidate * self.levels + level
        if self.kind == "generalised":
            return np.arange(len(values)), self.mechanism.randomise(values, source)
        size = max(1, _CHUNK // self.mechanism.n_values)
        parts = [self._rows(values[start : start + size], source) for start in range(0, max(len(values), 1), size)]
        person = np.concatenate([part[0] + i * size for i, part in enumerate(parts)])
        return person, np.concatenate([part[1] for part in parts])

    def _rows(self, values: Ints, source: Source) -> tuple[Ints, Ints]:
        outputs = self.mechanism.randomise(values, source)
        person, place = np.nonzero(outputs)
        return person, place if self.kind == "subset" else 2 * place + outputs[person, place] - 1

    @cached_property
    def _chances(self) -> tuple[float, float]:
        """Probability q of a mark that is not true, and how much likelier a true one is."""
        mechanism = self.mechanism
        if isinstance(mechanism, PairedResponse):
            return mechanism.other_marked / 2, mechanism.sign_contrast
        if isinstance(mechanism, SubsetResponse):
            return mechanism.other, mechanism.contrast
        contrast = GeneralisedResponse.contrast(self.epsilon, mechanism.n_values)
        return (1 - contrast) / mechanism.n_values, contrast

    @property
    def per_mark(self) -> float:
        """People in a candidate, per mark on it."""
        mechanism = self.mechanism
        return 1 / (mechanism.contrast if isinstance(mechanism, PairedResponse) else self._chances[1])

    @property
    def per_person(self) -> float:
        """People in a candidate, per report: takes off the marks that are not true."""
        return -self.levels * self._chances[0] * self.per_mark

    @property
    def per_score(self) -> float:
        """Factor of the levels' numbers."""
        return 1 / self._chances[1]

    @property
    def per_square(self) -> float:
        """Noise variance of a candidate's sum of numbers, per squared number of a mark on it.

        Two false marks on one candidate, of a subset, cancel in part: their numbers add up to 0 over the levels.
        """
        mechanism = self.mechanism
        both = mechanism.other_pair / mechanism.other if isinstance(mechanism, SubsetResponse) else 0.0
        return (1 - both) * self.per_score**2

    @property
    def most_marks(self) -> int:
        """How many marks one report can leave on one candidate."""
        return min(self.mechanism.size, self.levels) if isinstance(self.mechanism, SubsetResponse) else 1

    @property
    def influence(self) -> tuple[float, float]:
        """How far one report, true or not, can move a candidate's sum of people, and its sum of numbers."""
        mechanism, fewest = self.mechanism, 0
        if isinstance(mechanism, SubsetResponse):  # so many marks do not find room on the other candidates
            fewest = max(0, mechanism.size - mechanism.n_values + self.levels)
        elif self.n_candidates == 1:
            fewest = 1
        rising = np.sort(self.scores)
        sums = [(rising[:j].sum(), rising[self.levels - j :].sum()) for j in range(fewest, self.most_marks + 1)]
        lowest, highest = min(low for low, _ in sums), max(high for _, high in sums)
        return (self.most_marks - fewest) * self.per_mark, float(highest - lowest) * self.per_score

    def noise(self, spread: float) -> float:
        """Return the mean square of one report's numbers, summed over candidates.

        True numbers have mean square `spread`; their rounding to the levels at random is included: exactly for two
        levels, which are -1 and 1 whatever was rounded, else as a guess that is at most a quarter of a squared step.
        """
        step = 2 / (self.levels - 1)
        rounding = 1.0 if self.levels == 2 else min(step * math.sqrt(spread) / 2, step**2 / 4)
        own = min(1.0, spread + rounding)
        q, contrast = self._chances
        marked = contrast * own + q * self.n_candidates * float(self.scores @ self.scores)
        if isinstance(self.mechanism, PairedResponse):  # marks on the true candidate have a law of their own
            marked = self.mechanism.own_marked + (self.n_candidates - 1) * self.mechanism.other_marked
        return marked * self.per_square


def best_pair_response(epsilon: float, n_candidates: int, spread: float) -> PairResponse:
    """Choose mechanism and levels of least noise, from public numbers and a guess of the numbers' mean square.

    Among very many candidates only generalised response is left: its reports are short.
    """
    share = finite_number("spread", spread, "a number from 0 to 1")
    if not 0 <= share <= 1:
        raise refusal("spread", "a number from 0 to 1", repr(spread))
    size = whole_number("n_candidates", n_candidates, 1, MOST_SYMBOLS // 2)
    return _best_pair_response(privacy_parameter("epsilon", epsilon), size, share)


@lru_cache(maxsize=4096)
def _best_pair_response(epsilon: float, n_candidates: int, spread: float) -> PairResponse:
    if n_candidates > MANY_CANDIDATES:
        return PairResponse(epsilon, n_candidates, 2, "generalised")
    responses = [PairResponse(epsilon, n_candidates, 2, "paired")]
    for levels in LEVELS_TRIED:
        size = SubsetResponse.best_size(epsilon, n_candidates * levels)
        responses.append(PairResponse(epsilon, n_candidates, levels, "generalised" if size == 1 else "subset"))
    return min(responses, key=lambda response: response.noise(spread))
