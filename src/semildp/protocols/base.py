"""What every protocol promises: given what has come back so far, the next wave of questions, or the model."""

from __future__ import annotations

from typing import ClassVar, Protocol

from semildp.curator.waves import State, Wave
from semildp.models import Model


class StudyProtocol(Protocol):
    """Decides what is asked of whom, from public numbers and reports alone.

    A protocol is a frozen dataclass of its settings. It keeps nothing between calls: all it knows is in the state.
    """

    streams: ClassVar[tuple[str, ...]]  # names of the independent streams of a simulation, in the order of seeding

    def next(self, state: State) -> Wave | Model:
        """Return the next wave, the first one if there was none yet; or the model, when nothing is left to ask."""
        ...
