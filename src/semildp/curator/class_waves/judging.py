"""How far to trust what was learnt: by the log loss that reports tell without bias, of people it was not fitted to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from semildp._arrays import Bools, Floats
from semildp.curator.class_waves.evidence import Evidence
from semildp.curator.class_waves.reports import ClassGroup
from semildp.models.additive import AdditiveBody, OpaqueBody, added_effects, public_prediction
from semildp.models.classes import all_scores, class_view, probabilities

TRUSTS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
FLOORS = (0.01, 0.03, 0.1, 0.3)
CAUTION = 1.0  # standard errors of the log loss that are added to it: a guess
# Trust in the worst case: it moves probabilities by a tenth of what was learnt, which costs next to nothing if that is
# noise; where classes are as likely as far as is known, it decides which is taken to be the likeliest.
LEAST = 0.1
FEWEST = 3.0  # what is not seen among m people has a probability of 3 / m at most, at 95 % (rule of three)
MOST = 20_000  # people, about, whose reports are looked at
ENTRIES = 1 << 21  # people x cells x classes that are looked at, at most
INSIDE = ((1, 3), (3, 5), (5, 1))  # sixths of a bin, of a first feature and a second, where effects are read off
Bodies = Sequence[AdditiveBody | OpaqueBody]


@dataclass(frozen=True)
class Trust:
    """See `semildp.models.classes.probabilities`."""

    trust: float = LEAST
    floor: float = 0.0


def judge(evidence: Evidence, fit: Callable[[Evidence], Bodies]) -> Trust:
    """Choose trust and floor by the least log loss, less that of the prior, plus its standard error.

    The loss of a person in cell j of class c is -log p_c(j). It is -sum of A_jc log p_c(j), A being the unbiased
    indicators of (cell, class) that a report tells, on average: linear in A. `fit` is run for every fold, on the
    reports of all other people. Reports of so many people as tell no more than m whose classes are known would tell do
    not show what is rarer than 3 / m: the floor is no lower.
    """
    least = min(FEWEST / max(evidence.people, 1e-300), 1.0)
    candidates = [Trust(), *(Trust(t, max(f, least)) for t, f in product(TRUSTS, FLOORS))]
    losses, weights = list[Floats](), list[Floats]()
    for inside in _folds(len(evidence.enrolled)):
        outside = evidence.only(~inside)
        if not any(len(group) for group in outside.groups):
            continue
        bodies = fit(outside)
        for group in evidence.only(inside).groups:
            if len(group):
                found = _losses(evidence, outside.prior, bodies, _some(group, bodies), candidates)
                losses.append(found)
                weights.append(np.full(len(found), 1 / group.response.total_noise))
    if not losses:
        return Trust()
    return candidates[_least(np.concatenate(losses), np.concatenate(weights))]


def _folds(n_people: int) -> Iterator[Bools]:
    """Yield who is in each fold: three or two of them; of many people a tenth, once."""
    n_folds = 3 if n_people < 5000 else 2 if n_people <= MOST else 10
    fold = np.random.default_rng(0).permutation(n_people) % n_folds
    for k in range(n_folds if n_people <= MOST else 1):
        yield fold == k


def _some(group: ClassGroup, bodies: Bodies) -> ClassGroup:
    """Return so many of the people as are looked at."""
    symbols = group.response.n_candidates * group.response.levels if any(b.effects for b in bodies) else 1
    step = 1 + len(group) // max(min(MOST, ENTRIES // symbols), 1)
    return group if step == 1 else group.only(np.arange(len(group)) % step == 0)


def _least(losses: Floats, weights: Floats) -> int:
    """Return the candidate (column) of least mean + standard error; people (rows) have weights."""
    total = float(weights.sum())
    mean = weights @ losses / total
    error = np.sqrt(weights**2 @ (losses - mean) ** 2) / total
    return int(np.argmin(mean + CAUTION * error))


def _losses(
    evidence: Evidence, prior: Floats, bodies: Bodies, group: ClassGroup, candidates: Sequence[Trust]
) -> Floats:
    """Return the unbiased log loss less that of the prior, of each person (row) and candidate (column)."""
    response = group.response
    scores = _scores(evidence, bodies, group)  # person x cell x class; one cell if all are the same
    cell, level = np.divmod(group.marks.value, response.levels)
    person, cells = group.marks.person, scores.shape[1]
    rest = response.per_person / response.levels * (response.n_candidates / cells)
    found = np.zeros((len(group), len(candidates)))
    for k, candidate in enumerate(candidates):
        gain = np.log(probabilities(scores, prior, candidate.trust, candidate.floor) / prior)
        at = gain[person, cell if cells > 1 else 0, level]
        own = response.per_mark * np.bincount(person, weights=at, minlength=len(group))
        found[:, k] = -(own + rest * gain.sum(axis=(1, 2)))
    return found


def _scores(evidence: Evidence, bodies: Bodies, group: ClassGroup) -> Floats:
    """Return what is predicted of each person (first axis) in each cell (second), for each class (third).

    Private features are taken to lie evenly in a bin; the score is the mean over some points of it.
    """
    view, public = class_view(evidence.study), evidence.enrolled[group.people].public
    cells = group.response.n_candidates if any(body.effects for body in bodies) else 1
    found = np.empty((len(group), cells, len(bodies)))
    for b, body in enumerate(bodies):
        fixed = public_prediction(body, view, public) + body.pull
        for cell in range(cells):
            added = 0.0
            if body.effects:
                points = [_placed(evidence, group, public, cell, inside) for inside in INSIDE]
                added = np.mean([added_effects(body, view, X) for X in points], axis=0)
            found[:, cell, b] = np.clip(fixed + added, 0.0, 1.0)
    return all_scores(found)


def _placed(evidence: Evidence, group: ClassGroup, public: Floats, cell: int, inside: tuple[int, int]) -> Floats:
    """Return people's rows if they are in a cell: at so many sixths of the bin of each feature asked about."""
    X, bounds = public.copy(), evidence.study.bounds
    for axis, (j, bins) in enumerate(zip(group.features, group.bins, strict=True)):
        place = np.unravel_index(cell, group.bins)[axis] + inside[axis] / 6
        X[:, j] = bounds.low[j] + place / bins * (bounds.high[j] - bounds.low[j])
    return X
