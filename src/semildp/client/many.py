"""Answers of many people in a simulation, a batch at a time: no copy of all their rows, and the same draws."""

from __future__ import annotations

from collections.abc import Callable

from semildp._arrays import Floats, Ints, Words
from semildp._kernels.threads import slices
from semildp.client.answer import answer
from semildp.client.rows import People
from semildp.sources import Source, later
from semildp.study import Study
from semildp.wire.columns import Answers, Marks
from semildp.wire.forms import read_partition
from semildp.wire.messages import AskLabel, AskPair, AskSigned, Question

BATCH = 1 << 15  # people whose rows are held at a time: a few megabytes


def answer_many(
    study: Study,
    question: Question,
    people: People,
    chosen: Ints,
    source: Source,
    centres: Floats | None = None,
    *,
    small: bool = False,
) -> Answers:
    """Answer a question for some of the people, as `answer` does, but a batch at a time.

    Questions for which batches would draw in another order are answered for all at once.

    Parameters
    ----------
    study, question, people, source, centres
        As in `answer`; centres are of those chosen.
    chosen
        Positions of those who are asked.
    small
        Whether answers are kept in the smallest whole numbers that hold them: who computes with them widens them first.
    """
    n_people = len(chosen)
    if not _in_rows(study, question, people, chosen):
        found = answer(study, question, people[chosen], source, centres)
        return tuple(marks.small() for marks in found) if small else found
    rounding = [later(source, s.stop - s.start) for s in slices(n_people, BATCH)]  # drawn before all other words
    parts = []
    for s, words in zip(slices(n_people, BATCH), rounding, strict=True):
        own = None if centres is None else centres[s]
        (marks,) = answer(study, question, people[chosen[s]], _RoundingFirst(words, source), own)
        parts.append(marks.small() if small else marks)
    return (Marks.concatenate(parts),)


class _RoundingFirst:
    """A source whose first words round a batch of people; all others are those that `rest` has next."""

    def __init__(self, rounding: Callable[[], Words], rest: Source) -> None:
        self._next: list[Callable[..., Words]] = [lambda *shape: rounding().reshape(shape)]
        self._rest = rest

    def words(self, *shape: int) -> Words:
        """Return words for rounding at the first call, then of the other source."""
        return self._next.pop()(*shape) if self._next else self._rest.words(*shape)


def _in_rows(study: Study, question: Question, people: People, chosen: Ints) -> bool:
    """Say whether everybody's words lie in the order of people, but for one each for rounding, all of which come first.

    People with different numbers of candidates are answered for one number after the other: not in this order.
    """
    if len(question.asks) > 1:
        return False
    (ask,) = question.asks
    if isinstance(ask, AskLabel):
        return ask.rounding == "random" and ask.mechanism.kind == "window"
    if not isinstance(ask, AskPair):
        return isinstance(ask, AskSigned)
    partition = read_partition(ask.partition, study.bounds)
    sizes = set[int]()
    for s in slices(len(chosen), BATCH):
        size = partition.count_by_mask(people[chosen[s]].mask)
        if size is None:
            return False
        sizes |= {int(size.min()), int(size.max())}
    return len(sizes) == 1
