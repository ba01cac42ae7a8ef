"""What people are asked who enrol while a wave is open: a rule as data, so that any process can apply it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from semildp._arrays import Bools, Ints
from semildp.curator.waves import Asked
from semildp.models import Model
from semildp.sources import Source
from semildp.wire.columns import Enrolled
from semildp.wire.messages import Question


class Choice(Struct, frozen=True, forbid_unknown_fields=True):
    """A question for people who hide all of `features`, drawn in proportion to `share` among those that fit them."""

    question: Question
    features: tuple[int, ...] = ()
    share: float = 1.0


class Rule(Struct, frozen=True, forbid_unknown_fields=True):
    """What newcomers are asked.

    Parameters
    ----------
    choices
        The questions. Whom none with a share above 0 fits is asked the last, which is about no feature.
    centre
        Predicts the centre of a person's question from what they have made public; None: the question's own.
    """

    choices: tuple[Choice, ...]
    centre: Model | None = None

    def ask(self, enrolled: Enrolled, people: Ints, source: Source) -> tuple[Asked, ...]:
        """Draw what these people are asked; `people` are their positions among those enrolled."""
        which = draw_questions(source, enrolled.mask, [(choice.features, choice.share) for choice in self.choices])
        which = np.where(which < 0, len(self.choices) - 1, which)
        centres = None if self.centre is None else self.centre.predict(enrolled.public)[0]
        return tuple(
            Asked(self.choices[k].question, people).only(which == k)
            if centres is None
            else Asked(self.choices[k].question, people, centres).only(which == k)
            for k in np.unique(which).tolist()
        )


def draw_questions(source: Source, mask: Bools, asks: Sequence[tuple[tuple[int, ...], float]]) -> Ints:
    """Draw for each person one of the questions about features they all hide, by their shares; -1 if there is none.

    `asks` has the features and the share of each question.
    """
    may = np.stack([mask[:, list(features)].all(axis=1) for features, _ in asks], axis=1)
    upto = np.cumsum(np.where(may, [share for _, share in asks], 0.0), axis=1)
    drawn = source.words(len(mask)) / 2.0**64 * upto[:, -1]
    drawn = np.minimum(drawn, np.nextafter(upto[:, -1], 0.0))  # the largest words round up to 1
    return np.where(upto[:, -1] > 0, (drawn[:, None] >= upto).sum(axis=1), -1)
