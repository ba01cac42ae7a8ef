"""The loop that every study is: ask what the protocol says, collect, ask again, until there is a model."""

from __future__ import annotations

from collections.abc import Callable

from semildp.curator.transcript import Transcript
from semildp.curator.waves import Collected, State, Wave
from semildp.models import Model
from semildp.protocols.base import StudyProtocol


def conduct(protocol: StudyProtocol, state: State, collect: Callable[[Wave], Collected]) -> tuple[Model, Transcript]:
    """Conduct a study to its end; `collect` brings back what people answer to a wave."""
    while isinstance(step := protocol.next(state), Wave):
        state.done.append(collect(step))
    transcript = Transcript.of(state)
    return step.replace(transcript.spent), transcript
