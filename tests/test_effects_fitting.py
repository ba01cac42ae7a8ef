"""Effects as they are found from answers: clear ones are, of the right family; noise and copies add little."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from semildp.curator.effects import fitting
from semildp.curator.effects.evidence import SHARES, Posterior
from semildp.curator.effects.explained import Explained
from semildp.curator.effects.fitting import _Search, expected_effects
from semildp.curator.effects.learning import LearntEffects, learn_effects
from semildp.curator.wave_menu import Asking
from semildp.models.additive import public_view
from tests.residuals import answers_to, study_of

N, EPSILON, NOISE = 4000, 8.0, 0.7
ALONE, TOGETHER = ((0,), (1,)), ((0, 1),)  # questions: about one private feature of two, or about both
VALUES = (None, None, None)


def by(**cuts: int) -> Asking:
    """Ask for the residual, turned round where a feature is below cut / 8, or where one of two is."""
    signs = np.ones(())
    for cut in cuts.values():
        signs = np.multiply.outer(signs, np.where(np.arange(8) < cut, -1, 1))
    features = tuple(int(name[1:]) for name in cuts)
    return Asking(features, (8,) * len(features), tuple(signs.ravel().astype(int).tolist()))


BUMP = Asking((0,), (8,), (1, 1, -1, -1, -1, -1, 1, 1))
SIGNS = (by(x0=2), by(x0=4), by(x0=6), BUMP, by(x1=4))
PRODUCTS = tuple(by(x0=a, x1=b) for a, b in itertools.product((2, 4, 6), repeat=2))

Shape = Callable[[np.ndarray], np.ndarray]


def line(X):
    return 2 * (X[:, 0] - 0.5)


def step(X):
    return 1.0 * (X[:, 0] > 0.37) - 0.63


def parabola(X):
    return 6 * (X[:, 0] - 0.5) ** 2 - 0.5


def with_public(X):
    return 3.0 * ((X[:, 0] > 0.5) - 0.5) * ((X[:, 2] > 0.5) - 0.5)


def of_two(X):
    return 3.0 * ((X[:, 0] > 0.5) - 0.5) * ((X[:, 1] > 0.5) - 0.5)


def of_category(X):
    return np.array([0.9, -0.6, -0.3])[X[:, 0].astype(int)]


def nothing(X):
    return np.zeros(len(X))


def rows(n: int, seed: int, values=VALUES, *, copy: bool = False) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = rng.random((n, 3))
    for j, v in enumerate(values):
        if v is not None:
            X[:, j] = rng.integers(0, v, n)
    if copy:
        X[:, 1] = X[:, 0]
    return X


def learnt(shape: Shape, asked, seed: int, *, epsilon=EPSILON, n=N, values=VALUES, copy=False, hidden=(0, 1), **more):
    """Let people answer whose residuals have this shape, and learn; the features that are not hidden are public."""
    X = rows(n, seed, values, copy=copy)
    residual = shape(X) + NOISE * np.random.default_rng(1000 + seed).normal(size=n)
    study = study_of(epsilon, values)
    bins = 4 if asked is TOGETHER or TOGETHER[0] in asked else 6
    public = tuple(j for j in range(3) if j not in hidden)
    answered = answers_to(study, X, residual, hidden, asked, bins, seed)
    return learn_effects(study, public, tuple(hidden), answered, float(residual.var()), **more), study, public


def added(found: LearntEffects, study, public, X: np.ndarray) -> np.ndarray:
    """Return what effects add to rows."""
    expected = {e.feature: e for e in found.expectations}
    unit, seen, total = study.bounds.scale(X), public_view(study, public, X), np.zeros(len(X))
    for effect in found.effects:
        total += effect.at(unit, expected, seen)
    return total


def error(result, shape: Shape, values=VALUES, *, copy=False) -> float:
    """Return the mean squared error of effects, for fresh people."""
    X = rows(4000, 99, values, copy=copy)
    return float(np.mean((added(*result, X) - shape(X)) ** 2))


CLEAR = [
    (line, ALONE, (0,), VALUES),
    (step, ALONE, (0,), VALUES),
    (parabola, ALONE, (0,), VALUES),
    (with_public, ALONE, (0, 2), VALUES),
    (of_two, TOGETHER, (0, 1), VALUES),
    (of_category, ALONE, (0,), (3, None, None)),
    (line, SIGNS, (0,), VALUES),
    (step, SIGNS, (0,), VALUES),
    (parabola, SIGNS, (0,), VALUES),
    (with_public, SIGNS, (0, 2), VALUES),
    (of_two, PRODUCTS, (0, 1), VALUES),
    (of_category, (Asking((0,), (3,), (1, 1, -1)), Asking((0,), (3,), (-1, 1, 1))), (0,), (3, None, None)),
]


NAMES = [f"{case[0].__name__}-{k}" for k, case in enumerate(CLEAR)]


@pytest.mark.parametrize(("shape", "asked", "family", "values"), CLEAR, ids=NAMES)
def test_clear_effects_are_found_and_of_the_right_family(shape, asked, family, values):
    """Each explains a third of the variance or more, at ten times its standard error; a fifth of it may be missed."""
    for seed in range(3):
        result = learnt(shape, asked, seed, values=values)
        sizes = {e.features: float((e.table**2).mean()) for e in result[0].effects}
        assert max(sizes, key=lambda f: sizes[f]) == family
        assert error(result, shape, values) < 0.2 * float(np.var(shape(rows(4000, 98, values))))


@pytest.mark.parametrize("asked", [ALONE, TOGETHER, SIGNS])
def test_noise_is_hardly_taken_for_effects(asked):
    """On average they add less than 3 % of the variance.

    One draw adds 0.5 % with a deviation of 1 % (80 draws were tried), so the mean of twelve is below by 8 deviations.
    """
    unit = NOISE**2
    found = [learnt(nothing, asked, seed, epsilon=4.0, n=2000)[0].found.explained / unit for seed in range(12)]
    assert np.mean(found) < 0.03


@pytest.mark.parametrize("asked", [TOGETHER, (*TOGETHER, *ALONE, *ALONE), (*TOGETHER, *SIGNS)])
def test_a_copy_is_not_counted_twice(asked):
    """Were the effects of both added up, the error would be that of predicting twice the effect: all of its variance.

    Some people must be asked about both: features that nobody was asked about together are taken to be independent.
    """
    for seed in range(3):
        copied = error(learnt(step, asked, seed, copy=True), step, copy=True)
        single = error(learnt(step, ((0,),), seed, hidden=(0,)), step)
        assert copied < single + 0.25 * float(np.var(step(rows(4000, 98))))


def test_shares_of_what_is_explained_add_up_to_the_truth():
    """Found.explained is the mean square of effects; of a clear line it is the line's variance, a fifth off at most."""
    found = [learnt(line, ALONE, seed)[0].found.explained for seed in range(3)]
    assert np.mean(found) == pytest.approx(1 / 3, rel=0.2)


@pytest.mark.parametrize("values", [VALUES, (3, None, None)])
def test_a_question_without_reports_tells_nothing(values):
    """All of them may have been refused; those to another question count as if they were all."""
    study, X = study_of(EPSILON, values), rows(400, 0, values)
    none = answers_to(study, X[:0], np.zeros(0), (0, 1), ((0,),), 4, 0)
    assert learn_effects(study, (2,), (0, 1), none, 1.0).effects == ()
    some = answers_to(study, X, 2 * X[:, 1] - 1, (0, 1), ((1,),), 4, 0)
    alone, both = (learn_effects(study, (2,), (0, 1), answered, 1.0) for answered in (some, [*none, *some]))
    assert both.effects == alone.effects
    assert len(alone.effects) == 1


def test_an_effect_that_grows_is_not_less_known_than_before_anyone_was_asked(monkeypatch):
    """Sizes that are fitted together may be 300 times as large; deviations stay below the largest effects expected."""
    monkeypatch.setattr(Explained, "balance", lambda self: [(family, 300.0) for family in self._found])
    found, *_ = learnt(line, ALONE, 0, n=2000)
    assert found.effects
    for effect in found.effects:
        variance = effect.deviation**2
        for shares in reversed(effect.shares):
            variance = variance @ np.asarray(shares)
        assert variance <= max(SHARES) * 1.5  # residuals have a variance of 1/3 + NOISE**2
        assert np.abs(effect.table).max() > 10


class Scripted(_Search):
    """Every family's log odds are told, by how many effects have been found."""

    def __init__(self, script: dict[tuple[int, ...], list[float]]) -> None:
        self.script, self.added, self.judged = script, list[tuple[int, ...]](), list[int]()

    def screened(self, families):
        return families

    def judge(self, families, *, curves=True):
        self.judged.append(len(families))
        nothing = np.zeros(0)
        each = [(family, self.script[family][min(len(self.added), 2)]) for family in families]
        return [(Posterior(family, odds, nothing, nothing, nothing), odds) for family, odds in each]

    def add(self, new, chance, log_odds):
        self.added.append(new.family)

    def balance(self):
        """Sizes stay as they are."""


def test_a_family_that_gets_likely_later_is_found_and_all_are_known_in_the_end():
    """It was far less likely than the others at first, so it is judged again only when none of them is left."""
    script = {(0,): [5.0, 0.0, 0.0], (1,): [-3.0, 2.0, 0.0], (2,): [-4.0, -5.0, -6.0], (3,): [-0.5, -0.6, -0.7]}
    search = Scripted(script)
    each = search.all_found(list(script))
    assert search.added == [(0,), (1,)]
    assert [(p.family, odds) for p, odds in each] == [((3,), -0.7), ((2,), -6.0)]
    assert search.judged == [4, 1, 2, 1, 1]


def test_so_many_effects_of_each_kind_are_expected():
    """Four private features, one public: 2 alone, 1 with the public one, so many pairs as said; at most .8 each."""
    private = range(4)
    alone, mixed = [(j,) for j in private], [(j, 4) for j in private]
    pairs = list(itertools.combinations(private, 2))
    for paired in (0.33, 0.66):
        likely = expected_effects([*alone, *mixed, *pairs], private, 4, paired)
        for families, count in ((alone, 2.0), (mixed, 1.0), (pairs, paired)):
            assert sum(likely[family] for family in families) == pytest.approx(count)
    assert expected_effects([(0, 1)], (0, 1), 2, 5.0)[0, 1] == 0.8


def test_no_more_tables_are_expected_where_more_pairs_are():
    """A table of four means, likelier here than a pair, gets no likelier by it."""
    found = (learnt(nothing, TOGETHER, 3, n=1000, paired=paired)[0].found for paired in (0.33, 0.66))
    usual, more = (each.likely[0, 1] for each in found)
    assert more <= usual


def test_where_pairs_are_expected_more_is_left_in_doubt(monkeypatch):
    """Where reports say little, an effect is neither found nor ruled out: a plan that expects more looks once more."""
    monkeypatch.setattr(fitting, "FOUR", 1e-300)
    usual, more = (learnt(nothing, TOGETHER, 3, n=1000, paired=paired)[0].found for paired in (0.33, 0.66))
    assert set(usual.doubt) == set(more.doubt)
    assert more.likely[0, 1] > usual.likely[0, 1]
    assert more.doubt[0, 1].total > usual.doubt[0, 1].total
