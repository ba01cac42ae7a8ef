"""Error bars of cells with classes: for each class c, those of the number 1{label = c}."""

from __future__ import annotations

import numpy as np
from msgspec import structs
from scipy.special import softmax

from semildp._arrays import Floats
from semildp.backends import chunks
from semildp.curator.beliefs.cells import CELLS, Boxes
from semildp.curator.beliefs.partitions import FirstLabels, bars_of_means
from semildp.curator.beliefs.people import MOST
from semildp.curator.class_totals import ClassSums
from semildp.curator.class_waves import targets_of
from semildp.curator.class_waves.reports import ClassGroup
from semildp.curator.shrinking import effect_variance, to_simplex
from semildp.models.bars import Bars
from semildp.models.belief import Belief
from semildp.models.classes import class_view
from semildp.partition import Partition
from semildp.study import Study
from semildp.wire.columns import Enrolled

# Guess: of the labels' variance, what probabilities are beyond functions of single features and pairs, each as likely:
# they are bounded, so strong effects do not add up. Tried on eleven functions that the benchmarks do not have.
MISSED = np.array([0.0, 0.003, 0.01, 0.03])
FEWEST = 0.1  # of the people expected in a cell, and of the noise of its share: less is not believed


def class_bars(
    study: Study,
    partition: Partition,
    enrolled: Enrolled,
    first: ClassGroup,
    then: ClassSums,
    leaves: Floats,
    prior: Floats,
    probabilities: Floats,
) -> tuple[tuple[Bars, ...], Floats]:
    """Return error bars of each class, of two classes that of the second alone; and the variance of cells' shares.

    Parameters
    ----------
    study, partition
        The study of classes, and its cells.
    enrolled, first
        What everybody has made public, and the first wave's reports of the class alone; of very many, every so manieth.
    then, leaves
        Unbiased sums of (cell, class), with their noise; and the weight of people of each leaf, `people_in_leaves`.
    prior, probabilities
        Shares of classes; and what is predicted, by cell and class.
    """
    step = 1 + (len(first) - 1) // MOST
    some = first.only(np.arange(len(first)) % step == 0) if step > 1 else first
    people, view = enrolled[some.people], class_view(study)
    bars, variances = [], np.empty(probabilities.shape)
    for c in targets_of(len(prior)):
        share, values = float(prior[c]), probabilities[:, c]
        spread = share * (1 - share)
        told = FirstLabels.of(view, people, some.indicators(c), some.variance(c, share) - spread, spread)
        means, precision = class_means(partition, then, leaves, c, values)
        own, variance = bars_of_means(view, partition, told, means, precision, values)
        missed = left_over(own.belief, Boxes.of(partition, own.belief.axes), means, precision, spread)
        belief = structs.replace(own.belief, rest=own.belief.rest + missed)
        bars.append(structs.replace(own, belief=belief))
        variances[:, c] = variance + missed
    if len(bars) == 1:
        variances[:, 0] = variances[:, 1]
    return tuple(bars), variances


def class_means(
    partition: Partition, then: ClassSums, leaves: Floats, target: int, guess: Floats
) -> tuple[Floats, Floats]:
    """Return the share of a class in each cell, and one over the variance of its noise; 0 where nobody seems to be.

    Reports tell the sum D of 1{class} - 1 / C over a cell, with noise variance v. With n people, as estimated with
    relative variance w, the share is 1 / C + D / n, of variance v / n**2 + (share - 1 / C)**2 w. There `guess` is taken
    for the share. Noise is taken to be spread over bins alike in all leaves: that of single cells is known badly.
    """
    shape, even = (-1, partition.n_codes), 1 / then.counts.shape[1]
    people, unsure = cell_people(partition, then, leaves)
    spread = then.noise[:, target].reshape(shape)
    noise = np.outer(spread.sum(axis=1), spread.sum(axis=0)).ravel() / max(float(spread.sum()), 1e-300)
    known = (people > 0) & (noise > 0)
    n, sums = np.where(known, people, 1.0), then.counts[:, target] - even * then.counts.sum(axis=1)
    means = np.where(known, even + sums / n, 0.0)
    variance = np.where(known, noise / n**2 + (guess - even) ** 2 * unsure, 1.0)
    return means, np.where(known, 1 / variance, 0.0)


def cell_people(partition: Partition, then: ClassSums, leaves: Floats) -> tuple[Floats, Floats]:
    """Return how many people are in each cell, and the variance of that in units of its square.

    Counts of single cells are mostly noise where there are many. They are drawn to e, what they are if people are
    spread over bins alike in all leaves: a count e + d with noise variance v counts as e + k d, k = e**2 t / (e**2 t +
    v), t being the variance of d / e by moments. So t (1 - k) of it is left. People in leaves are known from what is
    public: by reports, cells that noise makes large would pass for large, and their means would be too small.
    """
    counts, noise = then.counts.sum(axis=1), then.squares.sum(axis=1)
    codes = to_simplex(counts.reshape(-1, partition.n_codes).sum(axis=0), then.weight)
    alike = np.outer(leaves, codes / max(then.weight, 1e-300)).ravel()
    t = effect_variance(counts - alike, alike, noise)
    below = alike**2 * t + noise
    k = np.divide(alike**2 * t, below, out=np.zeros(len(counts)), where=below > 0)
    return np.maximum(alike + k * (counts - alike), FEWEST * alike), t * (1 - k)


def left_over(belief: Belief, boxes: Boxes, means: Floats, precision: Floats, variance: float) -> float:
    """Return the mean square of what f is beyond functions of single features and pairs, `variance` being of labels.

    A mean with noise variance v, of which the belief was made, has mean square v - C around it if the belief is right,
    C being its variance in the cell; and more by what is missed, as far as the cell shows it. How much that is is
    averaged over `MISSED`, weighed by how likely the cells' means are under each.
    """
    likely, sizes = np.zeros(len(MISSED)), MISSED * variance
    for part in chunks(len(means), CELLS):
        functions = boxes.of_cells(np.arange(part.start, part.stop))
        mean, own, together = belief.at(functions)
        told = precision[part] > 0
        noise = 1 / precision[part][told]
        expected = np.maximum(noise - (own + together)[told], FEWEST * noise) + np.outer(sizes, shown(functions)[told])
        likely -= 0.5 * (np.log(expected) + (means[part] - mean)[told] ** 2 / expected).sum(axis=1)
    return float(softmax(likely) @ sizes)


def shown(functions: list[Floats]) -> Floats:
    """Return which part of the square of a product of two features' functions is left in its average over each cell.

    It is the mean over pairs of features, where variances of cosines fall with k^-2; the functions are averaged too.
    """
    falling = [np.arange(1, each.shape[1] + 1) ** -2.0 for each in functions]
    each = np.array([f**2 @ (power / power.sum()) for f, power in zip(functions, falling, strict=True)])
    if len(each) == 1:
        return np.asarray(each[0])
    return np.asarray((each.sum(axis=0) ** 2 - (each**2).sum(axis=0)) / (len(each) * (len(each) - 1)))
