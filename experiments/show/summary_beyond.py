"""What is set side by side in `beyond`: our defaults, the private mean, the paper's methods at their best."""

from __future__ import annotations

from experiments.common.names import ALL_PUBLIC, BOUNDED_MEAN, JOINT, PRIVATE_MEAN, SEMI_PRIVATE, WITHOUT_PRIVATE
from experiments.show.figure_data import PAPER, Curve, Curves, Results, curves_of
from experiments.show.summary import Cell
from experiments.show.tables import PAPER_METHODS

Table = dict[tuple[float, str], dict[str, Cell]]  # (epsilon, preference) -> data set -> cell

LINES = (PAPER, JOINT, WITHOUT_PRIVATE, SEMI_PRIVATE, ALL_PUBLIC, PRIVATE_MEAN)
MEANS = (PRIVATE_MEAN, BOUNDED_MEAN)


def best_of_paper(cell: Cell) -> tuple[float, str]:
    """Return the ratio and the name of the paper's best method, each at the grid point that is best in hindsight."""
    methods = dict.fromkeys(name for names in PAPER_METHODS.values() for name in names)
    return min((cell.ratio(method), method) for method in methods if method in cell.results)


def private_mean(cell: Cell) -> float:
    """Return the ratio of the private mean: the lower of its two kinds."""
    return min(cell.ratio(method) for method in MEANS)


def excess(cell: Cell) -> float:
    """How far SemiPrivate's error is above the private mean's, as a share of it; negative where it is below."""
    return cell.ratio(SEMI_PRIVATE) / private_mean(cell) - 1


def simulation_curves(results: Results, epsilon: float) -> Curves:
    """Error against the number of people, by method; the private mean is the lower of its two kinds at each."""
    at_epsilon = [result for result in results if result.epsilon == epsilon]
    curves = curves_of(at_epsilon, lambda result: result.method, lambda result: result.n_people)
    kinds = [curves[method] for method in MEANS]
    lower = tuple(min(pair, key=lambda best: best.mean) for pair in zip(*(kind.best for kind in kinds), strict=True))
    curves[PRIVATE_MEAN] = Curve(kinds[0].x, lower)
    return {line: curves[line] for line in LINES}


def epsilons_of(results: Results) -> list[float]:
    """Return the epsilons that were run, in ascending order."""
    return sorted({result.epsilon for result in results})
