"""The exact law of the bytes that travel: every word a device can draw, through `answer` and the wire, and back.

What a device sends is a step function of the 64-bit words it draws. Between neighbouring thresholds nothing changes, so
one word stands for all of an interval, and counts as many as the interval holds. People of one kind, one for each
combination of intervals, answer at once; their reports are encoded, decoded as a curator does, and admitted. All
probabilities are fractions. Whether the intervals are right is tested at both of their ends.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from semildp.client import People, answer, enrol, ready
from semildp.curator.admission import admit
from semildp.curator.intake import check_report
from semildp.domains import LabelGrid
from semildp.study import Study
from semildp.wire.codec import decode, digest, encode
from semildp.wire.columns import Answers
from semildp.wire.forms import read_partition
from semildp.wire.messages import AskBins, AskHistogram, AskLabel, AskPair, AskSigned, Mechanism, Question, Report
from semildp.wire.people import read_reports, write_report
from tests.battery.realised import WORD, log
from tests.witness import largest

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Law = dict[bytes, Fraction]
_known: dict[tuple[str, bytes, bytes], set[bytes]] = {}  # by question and enrolment: reports that were read
Breaks = list[list[int]]  # per word: where, between 0 and 2**64, what is sent may change


class Columns:
    """A source that gives every person the next words of their own row."""

    def __init__(self, rows: NDArray[np.uint64]) -> None:
        self.rows, self.used = rows, 0

    def words(self, *shape: int) -> NDArray[np.uint64]:
        """Return as many words per person as are asked for in all."""
        each, rest = divmod(math.prod(shape), len(self.rows))
        assert not rest, "not the same number of words for everybody"
        self.used += each
        return self.rows[:, self.used - each : self.used].reshape(shape)


def multiples(size: int) -> list[int]:
    """Return the first word of each value but 0 where one of `size` values is drawn."""
    return [-(-value * WORD // size) for value in range(1, size)]


def rounding_break(place: float) -> list[int]:
    """Return the first word that rounds down a number at `place` of a grid: words count as floats there."""
    share, low, high = place - math.floor(place), 0, WORD
    while low < high:
        middle = (low + high) // 2
        below = np.array([middle], dtype=np.uint64)[0] / 2.0**64 < share
        low, high = (middle + 1, high) if below else (low, middle)
    return [low]


def response_breaks(mechanism: Mechanism) -> Breaks:
    """Return the breaks of the words that a response draws."""
    thresholds, values = [int(t) for t in mechanism.thresholds], mechanism.values
    if mechanism.kind == "generalised":
        return [thresholds, multiples(values)]
    if mechanism.kind == "binary":
        return [thresholds] * values
    if mechanism.kind == "window":
        return [thresholds, multiples(values - 1 + mechanism.width), multiples(mechanism.width)]
    if mechanism.kind == "subset":
        m = mechanism.width
        return [thresholds, multiples(m), *(multiples(values - m + step + 1) for step in range(m))]
    assert mechanism.kind == "paired", "Laplace noise draws any number of words"
    flipped, marked = thresholds
    candidates = values // 2
    if candidates == 1:
        return [[flipped], []]
    return [[flipped, WORD // 2], *([[marked, 2 * marked]] * candidates)]


def breaks_of(study: Study, question: Question, person: People) -> Breaks:
    """Return the breaks of all words that one person draws for a question, in order."""
    breaks: Breaks = []
    for ask in question.asks:
        if isinstance(ask, AskLabel):
            if ask.rounding == "random":
                breaks.append(_rounding(ask.low, ask.high, ask.mechanism.values, float(person.labels[0])))
            breaks += response_breaks(ask.mechanism)
        elif isinstance(ask, AskSigned):
            cell = int(read_partition(ask.partition, study.bounds).cell(person.rows)[0])
            turned = ask.signs[cell] * (float(person.labels[0]) - question.centre)
            breaks.append(_rounding(-ask.reach, ask.reach, ask.mechanism.values, turned))
            breaks += response_breaks(ask.mechanism)
        elif isinstance(ask, AskBins):
            breaks += [b for f in np.flatnonzero(person.mask[0]) for b in response_breaks(ask.mechanisms[int(f)])]
        else:
            assert not isinstance(ask, AskHistogram), "Laplace noise draws any number of words"
            partition = read_partition(ask.partition, study.bounds)
            size = int(partition.count(person.rows, person.mask)[0])
            mechanism = ask.mechanisms[str(size)]
            if isinstance(ask, AskPair):
                leaf = int(partition.cell(person.rows)[0]) // partition.n_codes
                residual = float(person.labels[0]) - (question.centre + ask.centres[leaf])
                breaks.append(_rounding(-ask.reach, ask.reach, mechanism.values // size, residual))
            breaks += response_breaks(mechanism)
    return breaks


def _rounding(low: float, high: float, values: int, number: float) -> list[int]:
    grid = LabelGrid(low, high, values - 1)
    return rounding_break(float(np.clip((number - low) / (high - low) * grid.steps, 0, grid.steps)))


def all_words(breaks: Breaks, last: bool) -> tuple[NDArray[np.uint64], NDArray[np.object_]]:
    """Return the first (or last) word of every combination of intervals, one row each, and how many it stands for."""
    ends = [sorted({0, WORD, *each}) for each in breaks]
    grid = np.indices([len(e) - 1 for e in ends]).reshape(len(ends), -1)
    words = np.empty((grid.shape[1], len(ends)), dtype=np.uint64)
    weight = np.ones(grid.shape[1], dtype=object)
    for j, (each, index) in enumerate(zip(ends, grid, strict=True)):
        first = np.array([b - 1 for b in each[1:]] if last else each[:-1], dtype=np.uint64)
        words[:, j] = first[index]
        weight = weight * np.array([b - a for a, b in itertools.pairwise(each)], dtype=object)[index]
    return words, weight


def law_of(
    study: Study,
    question: Question,
    row: Sequence[float],
    label: float,
    mask: Sequence[bool],
    *,
    last: bool = False,
    tamper: Callable[[People], People] | None = None,
) -> Law:
    """Return how likely each report's bytes are. `tamper` turns the device into one that acts on other people."""
    one = ready(study, np.array([row], dtype=float), np.array([label]), np.array([mask]), largest())
    acting = one if tamper is None else tamper(one)
    words, weight = all_words(breaks_of(study, question, acting), last)
    everyone = acting[np.zeros(len(words), dtype=np.int64)]
    source = Columns(words)
    answers = answer(study, question, everyone, source)
    assert source.used == words.shape[1], "words were drawn that are not enumerated, or too few"
    raw, kind = distinct_reports(question, answers)
    total = WORD ** words.shape[1]
    chances = [0] * len(raw)
    for which, share in zip(kind, weight.tolist(), strict=True):
        chances[which] += share
    if tamper is None:
        _read(study, question, one, raw)
    fractions = {chance: Fraction(chance, total) for chance in set(chances)}  # few are different
    law = {report: fractions[chance] for report, chance in zip(raw, chances, strict=True)}
    assert len(law) == len(raw)
    assert sum(chances) == total
    return law


def distinct_reports(question: Question, answers: Answers) -> tuple[list[bytes], list[int]]:
    """Return the bytes of all different reports, and which of them each person sends."""
    rows = _rows(answers)
    key = rows @ np.random.default_rng(0).integers(2**62, size=rows.shape[1])  # modulo 2**64; checked below
    first, kind = np.unique(key, return_index=True, return_inverse=True)[1:]
    assert np.array_equal(rows[first[kind]], rows), "two different reports have the same key: take another seed"
    name = digest(encode(question))
    return [encode(write_report(name, answers, int(i))) for i in first], kind.reshape(-1).tolist()


def counts_of(question: Question, answers: Answers, law: Law) -> list[int]:
    """Return how many people sent each report of a law; nothing else may have been sent."""
    raw, kind = distinct_reports(question, answers)
    assert set(raw) <= set(law), "something is sent that is not enumerated"
    sent = dict(zip(raw, np.bincount(kind, minlength=len(raw)).tolist(), strict=True))
    return [sent.get(report, 0) for report in law]


def _rows(answers: Answers) -> NDArray[np.int64]:
    """Lay what people sent side by side, so that equal reports are equal rows."""
    columns = []
    for marks in answers:
        table = np.full((len(marks), int(marks.count.max(initial=0))), -(2**62))
        table[marks.person, np.arange(len(marks.value)) - marks.first[marks.person]] = marks.value
        columns.append(table)
    return np.concatenate(columns, axis=1)


def _read(study: Study, question: Question, one: People, raw: Sequence[bytes]) -> None:
    """Read the bytes as a curator does: each answers this question and could have been sent by this person.

    A curator has question, enrolment and bytes, and nothing else: the same three are read once.
    """
    name, public = digest(encode(question)), enrol(one)
    known = _known.setdefault((name, public.public.tobytes(), public.mask.tobytes()), set())
    new = [message for message in raw if message not in known]
    reports = [decode(message, Report) for message in new]
    for report in reports:
        check_report(question, name, report)
    sent = read_reports(reports, len(question.asks))
    enrolled = public[np.zeros(len(new), dtype=np.int64)]
    assert all(problem is None for problem in admit(study, question, enrolled, sent))
    known.update(new)


def worst_ratio(laws: Sequence[Law]) -> Fraction | None:
    """Return the worst ratio over all pairs of laws and all bytes; None where bytes are possible under some only."""
    distinct = {id(chance): chance for law in laws for chance in law.values()}  # few are different
    unit = math.lcm(*{chance.denominator for chance in distinct.values()})
    numbers = {key: p.numerator * (unit // p.denominator) for key, p in distinct.items()}
    whole = [{raw: numbers[id(p)] for raw, p in law.items()} for law in laws]
    top, bottom = 1, 1
    for report in set().union(*whole):
        chances = [law.get(report, 0) for law in whole]
        most, least = max(chances), min(chances)
        if least == 0:
            return None
        if most * bottom > top * least:
            top, bottom = most, least
    return Fraction(top, bottom)


def worst_log_ratio(laws: Sequence[Law]) -> float:
    """Return its logarithm, rounded up; infinite where bytes tell."""
    worst = worst_ratio(laws)
    return math.inf if worst is None else log_up(worst)


def log_up(ratio: Fraction) -> float:
    """Return the natural logarithm, rounded up."""
    exact = log(ratio)
    nearest = float(exact)
    return nearest if Fraction(nearest) >= Fraction(exact) else math.nextafter(nearest, math.inf)
