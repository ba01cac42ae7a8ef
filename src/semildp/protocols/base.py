"""What every protocol promises: given what has come back so far, the next wave of questions, or the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol, runtime_checkable

from semildp.curator.waves import Batch, State, Wave
from semildp.models import Model
from semildp.study import Study
from semildp.wire.messages import Question


class StudyProtocol(Protocol):
    """Decides what is asked of whom, from public numbers and reports alone.

    A protocol is a frozen dataclass of its settings. It keeps nothing between calls: all it knows is in the state.
    """

    streams: ClassVar[tuple[str, ...]]  # names of the independent streams of a simulation, in the order of seeding

    def next(self, state: State) -> Wave | Model:
        """Return the next wave, the first one if there was none yet; or the model, when nothing is left to ask."""
        ...


@runtime_checkable
class AddsUp(Protocol):
    """A protocol that makes its model from totals: once all are in, `next` looks at no person."""

    def tally(self, study: Study, question: Question, facts: Mapping[str, Any]) -> Callable[[Batch], Any] | None:
        """Return how the reports of the wave that asks a question are added up; None: they are kept, or not needed."""
        ...
