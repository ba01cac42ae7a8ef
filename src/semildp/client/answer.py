"""A device's answer to a question: every ask is checked, then answered by the code of its kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from semildp._arrays import Floats
from semildp.client.asks import (
    answer_bins,
    answer_cell,
    answer_class,
    answer_histogram,
    answer_label,
    answer_pair,
    answer_signed,
)
from semildp.client.rows import People
from semildp.masks import most_hidden
from semildp.sources import Source
from semildp.study import Study
from semildp.wire.columns import Answers, Marks
from semildp.wire.messages import AskBins, AskCell, AskClass, AskHistogram, AskLabel, AskPair, AskSigned, Question
from semildp.wire.verify import verify

_ANSWER: dict[type, Callable[[Any, Study, People, Floats, Source], Marks]] = {
    AskLabel: answer_label,
    AskCell: answer_cell,
    AskPair: answer_pair,
    AskSigned: answer_signed,
    AskClass: answer_class,
    AskBins: answer_bins,
    AskHistogram: answer_histogram,
}


def answer(study: Study, question: Question, people: People, source: Source, centres: Floats | None = None) -> Answers:
    """Answer a question for people whose rows are `ready`: one entry per ask.

    Parameters
    ----------
    study, question
        What is public. A question of another study, one that costs more than the study's epsilon, and one whose
        thresholds do not keep its epsilon are refused before a word is drawn.
    people
        Raw rows, labels and masks.
    source
        Where randomness comes from.
    centres
        Per person, the number that `question.centre` would be in their own question; None: the same for all.
    """
    verify(study, question, most_hidden(people.mask))
    centre = np.broadcast_to(np.float64(question.centre), len(people)) if centres is None else centres
    return tuple(_ANSWER[type(ask)](ask, study, people, centre, source) for ask in question.asks)
