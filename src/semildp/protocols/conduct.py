"""The loop that every study is: ask what the protocol says, collect, ask again, until there is a model."""

from __future__ import annotations

from collections.abc import Callable

from semildp.curator.transcript import Transcript
from semildp.curator.waves import Collected, State, Wave
from semildp.errors import InputError
from semildp.models import Model
from semildp.protocols.base import StudyProtocol


def conduct(protocol: StudyProtocol, state: State, collect: Callable[[Wave], Collected]) -> tuple[Model, Transcript]:
    """Conduct a study to its end; `collect` brings back what people answer to a wave."""
    while isinstance(step := next_step(protocol, state), Wave):
        state.done.append(collect(step))
    transcript = Transcript.of(state)
    return step.replace(transcript.spent), transcript


def next_step(protocol: StudyProtocol, state: State) -> Wave | Model:
    """Return what the protocol does next; refused if people were asked and no report was accepted so far."""
    if state.done and not any(len(asked.people) for done in state.done for asked in done.wave.asked):
        raise InputError(
            "Nothing can be learnt: no report was accepted so far. Look at why reports were refused, and ask others."
        )
    return protocol.next(state)
