"""What travels: the fields of every message. Bytes are in `codec`, meaning is with client and curator.

Whole numbers of 2**53 and beyond travel as text, so that no reader rounds them.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

VERSION = 1

SAFE = 2**53 - 1  # the largest whole number that every reader of JSON holds exactly
_END = r"$(?!\n)"  # in Python's expressions `$` alone allows for a line's end

Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}" + _END)]
Word = Annotated[str, Meta(pattern="^(0|[1-9][0-9]{0,19})" + _END)]  # below 10**20, so as to hold 2**64
Candidates = Annotated[str, Meta(pattern="^[1-9][0-9]{0,9}" + _END)]  # how many; JSON has text keys only
Count = Annotated[int, Meta(ge=0, le=SAFE)]
Whole = Annotated[int, Meta(ge=-SAFE, le=SAFE)]
Size = Annotated[int, Meta(ge=1, le=2**31)]
Epsilon = Annotated[float, Meta(gt=0)]


class Mechanism(Struct, frozen=True, forbid_unknown_fields=True):
    """A randomiser: its name, how many private values it takes, its width, and its integer thresholds."""

    kind: Literal["laplace", "window", "generalised", "binary", "subset", "paired"]
    values: Size
    width: Size
    thresholds: tuple[Word, ...]


class Tree(Struct, frozen=True, forbid_unknown_fields=True):
    """A tree on features scaled to [0, 1]: split feature (-1 for a leaf), threshold and left child of each node."""

    feature: tuple[Whole, ...]
    threshold: tuple[float, ...]
    child: tuple[Count, ...]


class Partition(Struct, frozen=True, forbid_unknown_fields=True):
    """Histogram x tree: the features that are cut in equal bins, the bins of each, and the tree on the others."""

    features: tuple[Count, ...]
    bins: tuple[Size, ...]
    tree: Tree


class AskLabel(Struct, frozen=True, forbid_unknown_fields=True, tag_field="ask", tag="label"):
    """The label, rounded to a grid on [low, high]: to the nearest point, or at random to one of two."""

    low: float
    high: float
    rounding: Literal["nearest", "random"]
    mechanism: Mechanism
    epsilon: Epsilon


class AskCell(Struct, frozen=True, forbid_unknown_fields=True, tag_field="ask", tag="cell"):
    """The cell of a partition, among the cells the person could be in; a mechanism for each number of these."""

    partition: Partition
    mechanisms: dict[Candidates, Mechanism]
    epsilon: Epsilon


class AskPair(Struct, frozen=True, forbid_unknown_fields=True, tag_field="ask", tag="pair"):
    """The cell and the residual's level together.

    The residual is the label less the question's `centre` and less the entry of `centres` for the leaf, cut at `reach`.
    Levels are evenly spaced on [-reach, reach]; there are values / (number of candidates) of them.
    """

    partition: Partition
    centres: tuple[float, ...]
    reach: float
    mechanisms: dict[Candidates, Mechanism]
    epsilon: Epsilon


class AskSigned(Struct, frozen=True, forbid_unknown_fields=True, tag_field="ask", tag="signed"):
    """The residual's level, the residual being turned round in some cells: it is multiplied by the cell's sign.

    The residual is the label less the question's `centre`, cut at `reach`. `signs` has 1 or -1 for every cell of the
    partition, which has one leaf. Levels are evenly spaced on [-reach, reach], one for each value of the mechanism.
    """

    partition: Partition
    signs: tuple[Literal[-1, 1], ...]
    reach: float
    mechanism: Mechanism
    epsilon: Epsilon


class AskClass(Struct, frozen=True, forbid_unknown_fields=True, tag_field="ask", tag="class"):
    """The cell and the label's class together; a mechanism for each number of cells the person could be in.

    The label is one of the study's C classes. The private value is candidate * C + class; what is sent is cell * C +
    class. With a partition of one cell it asks for the class alone.
    """

    partition: Partition
    mechanisms: dict[Candidates, Mechanism]
    epsilon: Epsilon


class AskBins(Struct, frozen=True, forbid_unknown_fields=True, tag_field="ask", tag="bins"):
    """The bin of each feature the person hides, each by the mechanism at its place and with epsilon."""

    mechanisms: tuple[Mechanism, ...]
    epsilon: Epsilon


class AskHistogram(Struct, frozen=True, forbid_unknown_fields=True, tag_field="ask", tag="histogram"):
    """A noisy indicator and a noisy label for every cell; the label lies on a grid on [low, high]."""

    partition: Partition
    low: float
    high: float
    mass: Mechanism
    label: Mechanism
    epsilon: Epsilon


Ask = AskLabel | AskCell | AskPair | AskSigned | AskClass | AskBins | AskHistogram


class Enrolment(Struct, frozen=True, forbid_unknown_fields=True, tag_field="message", tag="enrolment"):
    """What a person makes public: one entry per feature, a number or a category's value; null is private."""

    study: Digest
    public: tuple[float | str | None, ...]
    version: int = VERSION


class Question(Struct, frozen=True, forbid_unknown_fields=True, tag_field="message", tag="question"):
    """Everything a device needs for one answer. A cost is exactly the 64-bit floating-point number that is written."""

    study: Digest
    wave: Size
    asks: tuple[Ask, ...]
    centre: float = 0.0
    version: int = VERSION


class Report(Struct, frozen=True, forbid_unknown_fields=True, tag_field="message", tag="report"):
    """A device's answer: the digest of the question's bytes, and whole numbers for each ask."""

    question: Digest
    answers: tuple[tuple[Whole, ...], ...]
    version: int = VERSION


Message = Enrolment | Question | Report
