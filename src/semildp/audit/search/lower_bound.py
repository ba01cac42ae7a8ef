"""The largest epsilon that an outsider can prove, by finding an event that one input makes much likelier than another.

Scores are learned on one sample, an event {score >= t} is chosen on a second, and its two probabilities are bounded on
a third, fresh one (Clopper and Pearson). The false-alarm rate is divided among all pairs of inputs and kinds of events
(Bonferroni), so the bound holds whichever was picked. A bound above the claim is a violation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from semildp._arrays import Floats, Ints
from semildp._checks import instance_of
from semildp.audit.contract import check_trials
from semildp.audit.search.scores import STATED, Score, Scorer
from semildp.audit.statistics import FALSE_ALARM, log_ratio_bound
from semildp.audit.visits.visit import Visit
from semildp.sources import Source, check_source

Input = TypeVar("Input")
Samples = tuple[Sequence[NDArray[Any]], Sequence[NDArray[Any]]]
Level = tuple[tuple[float, float], float, float]  # shares under both inputs, promise, threshold

LEARN = CHOOSE = 1 << 15  # People per input, of five; of more inputs each has fewer.
TRIALS = 1 << 22  # People per input in the last sample, at most.
_FEWEST, _LEAST = 1 << 16, 1 << 14
_BATCH = 1 << 15
_NUMBERS = 1 << 28  # numbers sent in the last sample under an input, at most
_THRESHOLDS = 200
_WEIGHED = 1 << 18
_SECOND = 1 << 17
_LOSS = 0.045  # The last sample is as large as costs about this share of epsilon to chance.
_PICKING = 1e-3  # Alpha of the bounds that rank learned events; nothing is claimed from them.


@dataclass(frozen=True)
class LowerBound:
    """What an outsider can prove.

    Parameters
    ----------
    epsilon
        No true epsilon is below it, but for the false alarms; 0 if nothing was found.
    inputs
        The two inputs that were told apart.
    event
        How: which score, and from where.
    hits, misses, trials
        How often the event happened under the first and the second input, of so many times each.
    n_pairs
        Pairs of inputs that were searched, among which the false-alarm rate is divided.
    """

    epsilon: float
    inputs: tuple[Any, Any]
    event: str
    hits: int
    misses: int
    trials: int
    n_pairs: int


@dataclass(frozen=True, eq=False)
class _Candidate:
    """An event for one pair, and what it promises."""

    promise: float
    pair: tuple[int, int]
    name: str
    score: Callable[[NDArray[Any]], Floats]
    threshold: float
    shares: tuple[float, float]


def lower_bound(
    visit: Visit[Input],
    source: Source,
    *,
    trials: int = TRIALS,
    false_alarm: float = FALSE_ALARM,
    samples: Samples | None = None,
) -> LowerBound:
    """Search for the event that tells two inputs of a visit apart best, and bound epsilon by it.

    Parameters
    ----------
    visit, source
        What is audited, and where the randomness of the last sample comes from.
    trials, false_alarm
        People per input in the last sample, at most, and how often the bound may be too high.
    samples
        What was sent under each input, to learn scores from and, apart from it, to choose events on; None: drawn here.
    """
    instance_of("visit", visit, Visit)
    check_source(source)
    check_trials(trials)
    sizes = _sizes(visit)
    if samples is None:
        learn, choose = ([visit.send(x, n, source) for x in visit.inputs] for n in sizes)
    else:
        learn, choose = ([_thinned(sent, n) for sent in sample] for sample, n in zip(samples, sizes, strict=True))
    candidates = _choose(visit, learn, choose)
    trials = max(1, min(trials, _NUMBERS // visit.numbers))
    alpha = false_alarm / (len(candidates) * len(visit.pairs))
    second = trials if len(candidates) == 1 else min(trials, _SECOND)  # a learned event beside a stated one
    bounds = [_bound(visit, e, source, alpha, trials if e.name == STATED else second) for e in candidates]
    return max(bounds, key=lambda bound: bound.epsilon)


def _bound(visit: Visit[Input], event: _Candidate, source: Source, alpha: float, trials: int) -> LowerBound:
    one, other = (visit.inputs[i] for i in event.pair)
    n = _enough(event.shares, alpha, trials)
    hits, misses = (_count(visit, x, event, n, source) for x in (one, other))
    proven = max(0.0, float(log_ratio_bound(hits, misses, n, alpha)))
    words = f"{event.name} >= {event.threshold:.4g}"
    return LowerBound(proven, (one, other), words, hits, misses, n, len(visit.pairs))


def _choose(visit: Visit[Input], learn: Sequence[NDArray[Any]], choose: Sequence[NDArray[Any]]) -> list[_Candidate]:
    """Return the most promising event of each kind, over all pairs."""
    scorer, best = Scorer(visit, learn), dict[str, _Candidate]()
    codes, ratios = [scorer.codes(sent) for sent in choose], [scorer.stated(i, sent) for i, sent in enumerate(choose)]
    for pair in visit.pairs:
        for name, score in scorer.scores(*pair).items():
            if name == STATED:
                shares, promise, threshold = _stated(ratios[pair[0]][pair[1]])
            else:
                shares, promise, threshold = _counted(*(score(choose[i], codes[i]) for i in pair))
            if name not in best or promise > best[name].promise:
                reads = scorer.codes if name != STATED else _no_codes
                best[name] = _Candidate(promise, pair, name, partial(_scored, reads, score), threshold, shares)
    stated = [c for c in best.values() if c.name == STATED]
    learned = sorted((c for c in best.values() if c.name != STATED), key=lambda c: c.promise)[-1:]
    if stated:
        learned = [c for c in learned if _above(c.shares, visit.epsilon, len(choose[0]))]
    nothing = _Candidate(0.0, visit.pairs[0], "anything", lambda sent: np.zeros(len(sent)), 0.0, (1.0, 1.0))
    return stated + learned or [nothing]


def _above(shares: tuple[float, float], claimed: float, n: int) -> bool:
    """Whether a log ratio seen in n people is above the claim by two standard deviations, 2 s / sqrt(n).

    In _SECOND trials a ratio is proven from about 5.6 s / sqrt(_SECOND) above the claim, which is 2.5 deviations of
    25,000 people. So of learned events beside a stated one no other need be sampled again.
    """
    return math.log(shares[0] / shares[1]) > claimed + 2 * math.sqrt(_spread(shares) / n)


def _scored(codes: Callable[[NDArray[Any]], list[Ints]], score: Score, sent: NDArray[Any]) -> Floats:
    return score(sent, codes(sent))


def _no_codes(sent: NDArray[Any]) -> list[Ints]:
    """A stated log ratio is read off what was sent itself."""
    return []


def _sizes(visit: Visit[Any]) -> tuple[int, int]:
    """How many people per input scores are learned from, and events chosen on: rare outputs must come up in both."""
    n = len(visit.inputs)
    learn, choose = (visit.at_most(max(_LEAST, size * 5 // max(n, 5)) * n) // n for size in (LEARN, CHOOSE))
    return learn, choose


def _thinned(sent: NDArray[Any], n: int) -> NDArray[Any]:
    """Return at most n people, evenly."""
    return sent if len(sent) <= n else sent[np.arange(n) * len(sent) // n]


def _distinct(rising: Floats) -> Floats:
    """Return the different ones of scores that are in rising order."""
    return np.asarray(rising[np.concatenate([[True], rising[1:] != rising[:-1]])])


def _thresholds(rising: Floats) -> Floats:
    """Return some of the scores, which are in rising order, evenly."""
    distinct = _distinct(rising)
    return np.asarray(distinct[np.linspace(0, len(distinct) - 1, min(_THRESHOLDS, len(distinct))).astype(np.int64)])


def _counted(here: Floats, there: Floats) -> Level:
    """Choose the level of a learned score by how often it was reached under either input."""
    n, ordered = len(here), [np.sort(here), np.sort(there)]
    thresholds = _thresholds(np.sort(np.concatenate([_distinct(scores) for scores in ordered])))
    hits, misses = (n - np.searchsorted(scores, thresholds) for scores in ordered)
    bounds = log_ratio_bound(hits, misses, n, _PICKING)
    best = int(bounds.argmax())
    shares = (max(int(hits[best]), 1) / n, max(int(misses[best]), 1) / n)
    return shares, float(bounds[best]), float(thresholds[best])


def _stated(here: Floats) -> Level:
    """Choose the level of a stated log ratio: its law says how rare the event is under the other input.

    P(event | other) is the mean of e**-ratio over the event under the first input, so that rare events can be weighed
    from few samples. Each level is worth what _WEIGHED trials would prove, by the usual approximation.
    """
    n, order = len(here), np.sort(here)
    thresholds = _thresholds(order)
    start = np.searchsorted(order, thresholds)
    tail = np.cumsum(np.exp(-order[::-1]))[::-1]
    p = np.maximum(n - start, 1) / n
    q = np.maximum(tail[np.minimum(start, n - 1)], 1e-300) / n
    spread = np.maximum((1 - p) / p + (1 - q) / q, 0.0)
    worth = np.log(p / q) - 5 * np.sqrt(spread / _WEIGHED)
    best = int(worth.argmax())
    return (float(p[best]), float(min(q[best], 1.0))), float(worth[best]), float(thresholds[best])


def _spread(shares: tuple[float, float]) -> float:
    """Return the variance of the log ratio of two observed shares, times the number of trials."""
    return sum((1 - share) / share for share in shares)


def _enough(shares: tuple[float, float], alpha: float, trials: int) -> int:
    """Return how many trials cost about _LOSS of epsilon to chance, by the usual approximation."""
    spread = _spread(shares)
    size = math.log(max(shares[0] / shares[1], 1.0)) or 1.0
    wanted = float(ndtri(alpha / 2)) ** 2 * spread / (_LOSS * size) ** 2
    return int(min(trials, max(_FEWEST, wanted)))


def _count(visit: Visit[Input], person: Input, event: _Candidate, n: int, source: Source) -> int:
    """Return how often the event happens to n people, a batch at a time."""
    batch = visit.at_most(_BATCH)
    sizes = [batch] * (n // batch) + ([n % batch] if n % batch else [])
    return sum(int((event.score(visit.send(person, size, source)) >= event.threshold).sum()) for size in sizes)
