"""How far residuals reach, how deep trees are and how many bins features have: judged from public numbers only."""

from __future__ import annotations

import math

from semildp._arrays import Floats
from semildp.domains import LabelGrid
from semildp.mechanisms import best_pair_response
from semildp.partition import MAX_CELLS

REACHES = (1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
EFFECT_SHARE = 0.05  # guess: what one private feature explains of the residuals' variance
MOST_EFFECTS = 0.25  # guess: what all private features together explain of it at most
PUBLIC_SHARE = 0.25  # guess: what public features explain of the label's variance
LEAST_SHARE = 1e-4  # of the blind guess: residuals are never thought to be smaller
MOST_NUMBERS = 8  # guess: features go together, so a penalised learner finds no more directions than this
MOST_DEPTH, MOST_BINS, MOST_CANDIDATES = 6, 4, 256


def plan_reach(
    n_second: int, n_candidates: int, epsilon: float, n_first: int, label_noise: float, n_public: int
) -> tuple[float, float]:
    """Choose where to cut residuals that are sent with one of so many cells; and their spread when cut there.

    The reach is in standard deviations, the spread is the mean square in units of the squared reach. What is expected
    to be explained is that of public features, and one private effect over the cells.
    """
    variance = 1 + prediction_error(label_noise, n_first, n_public)
    first, effects = n_first / label_noise, max(n_candidates - 1, 1)

    def gain(reach: float) -> float:
        kept, square = cut_normal(reach)
        spread = square / reach**2
        noise = best_pair_response(epsilon, n_candidates, spread).noise(spread) * reach**2 * variance
        second = n_second / noise
        total = max(first + second, 1e-300)
        private = effects * _gain(EFFECT_SHARE / effects, kept, noise / max(n_second, 1)) if n_candidates > 1 else 0.0
        return public_gain(total, n_public, (first + kept * second) / total) + private

    best = max(REACHES, key=gain)
    return best, cut_normal(best)[1] / best**2


def prediction_error(label_noise: float, n_people: int, n_public: int) -> float:
    """Guess the squared error of a prediction learned from so many labels of so much noise."""
    return (1 + n_public) * label_noise / max(n_people, 1)


def effect_share(n_features: int) -> float:
    """Guess what one of so many private features explains of the residuals' variance."""
    return min(EFFECT_SHARE, MOST_EFFECTS / max(n_features, 1))


def public_signal(precision: float, n_public: int) -> float:
    """Return signal to noise of each number a penalised learner finds, from labels of so much precision in all."""
    return PUBLIC_SHARE / min(1 + n_public, MOST_NUMBERS) * precision


def public_gain(precision: float, n_public: int, kept: float = 1.0) -> float:
    """Return what a learner on public features is expected to explain, from labels of so much precision in all."""
    numbers = 1 + n_public
    return numbers * _gain(PUBLIC_SHARE / numbers, kept, 1 / max(precision, 1e-300))


def plan_depth(n_people: int, epsilon: float, first: float = 0.0) -> int:
    """Choose how deep to grow a tree that will be shrunk: a leaf's noise may be as large as all that trees explain.

    `first` is the precision of the labels that were sent before, in units of one over the label's variance.
    """
    spread = 1 / 9  # of labels with a standard deviation of a sixth of their range, in units of half of it, squared
    noise = best_pair_response(epsilon, 1, spread).noise(spread)
    leaves = PUBLIC_SHARE * (spread * n_people / noise + first)
    return min(MOST_DEPTH, max(0, math.floor(math.log2(max(leaves, 1.0)))))


def plan_bins(n_people: int, n_features: int, depth: int, epsilon: float, first: float = 0.0) -> int:
    """Choose bins per feature for cells that combine all of them with the leaves of a tree.

    More bins mean more candidates and more noise, also in what is learnt of the tree; of that, labels that were sent
    before, of precision `first` in all, have told a part.
    """

    def gain(bins: int) -> float:
        kept, square = cut_normal(1.5)
        spread = square / 1.5**2
        noise = best_pair_response(epsilon, bins**n_features, spread).noise(spread) * 1.5**2 / max(n_people, 1)
        leaves, steps = 2**depth, n_features * (bins - 1)
        public = leaves * _gain(PUBLIC_SHARE / leaves, kept, 1 / (1 / noise + first))
        seen = effect_share(n_features) * (1 - bins**-2) / max(bins - 1, 1)
        return float(public + steps * _gain(seen, kept, noise))

    most = min(MOST_CANDIDATES, MAX_CELLS >> depth)
    allowed = [b for b in range(1, MOST_BINS + 1) if b == 1 or b**n_features <= most]
    return max(allowed, key=gain)


def guessed_variance(grid: LabelGrid) -> float:
    """Guess the variance of labels before anyone is asked: a sixth of their range is a standard deviation."""
    return ((grid.high - grid.low) / 6) ** 2


def residual_variance(grid: LabelGrid, left: Floats, noise: float) -> float:
    """Estimate the variance of labels around a prediction, `left` being noisy labels less it.

    It is the precision-weighted average of mean(left**2) - noise and of `guessed_variance`, whose standard error is
    taken to be 100 %. It is never 0: residuals need some room, and a few people may agree by chance.
    """
    guess = guessed_variance(grid)
    if grid.steps == 1 or len(left) < 2:  # reports of two values do not tell of the spread, nor does one person
        return guess
    square = left**2
    error = float(square.var()) / len(square)
    found = max(float(square.mean()) - noise, 0.0)
    return max((guess * error + found * guess**2) / (error + guess**2), guess * max(LEAST_SHARE, 1 / len(left)))


def _gain(signal: float, kept: float, noise: float) -> float:
    """Return the error removed by estimating one coefficient, with shrinkage.

    Its prior variance is `signal`; the observation is `kept` times it plus noise of variance `noise`.
    """
    factor = kept**2 * signal / (kept**2 * signal + noise)
    return factor * kept * signal * (2 - kept)


def cut_normal(reach: float) -> tuple[float, float]:
    """Return P(|Z| < reach) and E[clip(Z, -reach, reach)**2] for a standard normal Z.

    The first is also by how much the mean of the cut number moves when Z is shifted a little.
    """
    inside = math.erf(reach / math.sqrt(2))
    density = math.exp(-(reach**2) / 2) / math.sqrt(2 * math.pi)
    return inside, inside - 2 * reach * density + reach**2 * (1 - inside)
