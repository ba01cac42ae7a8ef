"""The contest: every method at every epsilon, on the same simulated people, several times over."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from examples.demo.methods import HIST_OF_TREE, METHODS, OPEN_TREE, Method
from examples.demo.simulation import N_FEATURES, PRIVATE, Floats, draw_features, draw_people, truth
from semildp import HistOfTreeRegressor, masks

EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)


@dataclass(frozen=True)
class Size:
    """How much is simulated; `pictured` is how many people each of the two partitions is learned from."""

    n_people: int = 10_000
    n_runs: int = 8
    n_fresh: int = 10_000
    pictured: tuple[int, int] = (10_000, 300_000)
    seed: int = 2025


QUICK = Size(n_runs=3)


@dataclass(frozen=True)
class Choice:
    """What HistOfTree made of one epsilon: its partition, and how a person's budget was used."""

    epsilon: float
    n_cells: int
    bins: int
    n_candidates: int
    label_epsilon: float
    cell_epsilon: float

    @property
    def chance_right(self) -> float:
        """How often generalised randomised response names the true cell."""
        odds = math.exp(self.cell_epsilon)
        return odds / (odds + self.n_candidates - 1)


@dataclass(frozen=True, eq=False)
class Contest:
    """All errors (runs x methods x epsilons), and HistOfTree's choice per epsilon."""

    size: Size
    errors: NDArray[np.float64]
    choices: tuple[Choice, ...]
    methods: tuple[Method, ...] = METHODS
    epsilons: tuple[float, ...] = EPSILONS

    @property
    def mean(self) -> Floats:
        """Error per method and epsilon, averaged over the runs."""
        average: Floats = self.errors.mean(axis=0)
        return average

    @property
    def standard_error(self) -> Floats:
        """Standard error of `mean`."""
        return standard_error(self.errors)

    def of(self, method: Method) -> Floats:
        """Return one method's errors, runs x epsilons."""
        return self.errors[:, self.methods.index(method)]

    def winners(self) -> list[int]:
        """Return, per epsilon, which of the private methods has the lowest mean error."""
        barred = np.array([method.reference for method in self.methods])
        return [int(j) for j in np.where(barred[:, None], np.inf, self.mean).argmin(axis=0)]


def standard_error(errors: Floats) -> Floats:
    """Return the standard error of a mean over the first axis; unknown (infinite) from a single run."""
    n_runs = len(errors)
    if n_runs < 2:
        return np.full(errors.shape[1:], np.inf)
    return np.asarray(errors.std(axis=0, ddof=1) / math.sqrt(n_runs))


def hold_contest(size: Size, *, progress: bool = True) -> Contest:
    """Fit every method at every epsilon on each run's people, and judge it on fresh points against the truth."""
    errors = np.empty((size.n_runs, len(METHODS), len(EPSILONS)))
    choices: list[Choice] = []
    # The open tree does not know epsilon: its first fit serves the whole row.
    jobs = [(m, e) for m, method in enumerate(METHODS) for e in range(1 if method is OPEN_TREE else len(EPSILONS))]
    with tqdm(total=size.n_runs * len(jobs), desc="Fitting", unit="model", disable=not progress) as bar:
        for run in range(size.n_runs):
            rng = np.random.default_rng([size.seed, run])
            X, y = draw_people(size.n_people, rng)
            fresh = draw_features(size.n_fresh, rng)
            for m, e in jobs:
                model = METHODS[m].build(EPSILONS[e], int(rng.integers(2**31))).fit(X, y)
                errors[run, m, e:] = np.mean((model.predict(fresh) - truth(fresh)) ** 2)
                if METHODS[m] is HIST_OF_TREE and run == 0:
                    choices.append(describe_choice(model, X))
                bar.update()
    return Contest(size, errors, tuple(choices))


def describe_choice(model: HistOfTreeRegressor, X: Floats) -> Choice:
    """Read from a fitted model what it chose; everyone has the same number of candidate cells here."""
    (group,) = model.privacy_.groups
    mask = masks.aligned(1, N_FEATURES, PRIVATE)
    return Choice(
        model.epsilon,
        model.partition_.n_cells,
        model.shape_.bins,
        int(model.partition_.count(X[:1], mask)[0]),
        group.label_epsilon,
        group.feature_epsilon,
    )
