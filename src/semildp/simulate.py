"""Devices and curator in one process, over arrays, with a transcript of who was asked what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import Any

from semildp._arrays import Bools, Floats
from semildp._checks import instance_of
from semildp._kernels.threads import in_threads
from semildp.backends import CHUNK, chunks
from semildp.client import People, answer, completing, enrol, ready
from semildp.client.many import answer_many
from semildp.curator.transcript import Transcript
from semildp.curator.waves import Asked, Collected, State, Wave
from semildp.models import Model
from semildp.protocols import StudyProtocol, conduct, protocol_of
from semildp.sources import Source, SystemSource, in_any_order
from semildp.study import Study
from semildp.wire.columns import Answers, Marks
from semildp.wire.costs import numbers_sent

_NUMBERS = 1 << 20  # held at a time where reports are added up as they arrive


@dataclass(frozen=True, eq=False)
class Simulated:
    """What a simulated study has left: the model, the curator's state and the transcript. No raw row is in it.

    Of many people, `state.enrolled` is read from their devices again when it is looked at; see `client.enrol`.
    """

    model: Model
    state: State
    transcript: Transcript


def simulate(
    study: Study,
    X: Floats,
    y: Floats | None,
    mask: Bools,
    *,
    protocol: StudyProtocol | None = None,
    sources: Mapping[str, Source] | None = None,
    clip: bool = True,
    keep: bool = False,
) -> Simulated:
    """Run a study on raw rows: enrol everyone, then ask and collect until the protocol has a model.

    Parameters
    ----------
    study
        What is asked.
    X, y, mask
        Raw features as numbers (a category as its code), raw labels (None in a study without), and who hides what.
    protocol
        The protocol, if it is not the one that the study names with its settings.
    sources
        Randomness by the protocol's streams; None: the operating system's.
    clip
        Whether values outside their bounds are moved to the bound, as on a device, or refused.
    keep
        Whether reports that are added up as they arrive are kept as well, to be written to files.
    """
    instance_of("study", study, Study)
    protocol = protocol_of(study) if protocol is None else protocol
    if sources is None:
        sources = {name: SystemSource() for name in protocol.streams}
    people = ready(study, X, y, mask, sources["fill"], clip=clip)
    state = State(study, enrol(people), sources, keep=keep)
    model, transcript = conduct(protocol, state, lambda wave: _collect(state, wave, people, sources[wave.stream]))
    return Simulated(model, state, transcript)


def _collect(state: State, wave: Wave, people: People, source: Source) -> Collected:
    """Let everyone who is asked answer; where reports are added up as they arrive, a batch at a time."""

    def answers(asked: Asked, chosen: slice) -> Answers:
        centres = None if asked.centres is None else asked.centres[chosen]
        return answer(state.study, asked.question, people[asked.people[chosen]], source, centres)

    def all_answers(asked: Asked) -> Answers:
        if len(asked.people) < completing.MANY:
            found = answers(asked, slice(None))
            return tuple(marks.small() for marks in found) if wave.small else found
        many = state.study, asked.question, people, asked.people, source, asked.centres
        return answer_many(*many, small=wave.small)

    if wave.tally is None:
        return Collected(wave, tuple(map(all_answers, wave.asked)))

    tally, kept = wave.tally, [list[Answers]() for _ in wave.asked]

    def added_up(asked: Asked, mine: list[Answers], chosen: slice) -> Any:
        sent = answers(asked, chosen)
        if state.keep:
            mine.append(sent)
        return tally(state.batch(asked, chosen, sent))

    def jobs() -> Iterator[Callable[[], Any]]:
        for asked, mine in zip(wave.asked, kept, strict=True):
            size = min(CHUNK, max(1, _NUMBERS // numbers_sent(asked.question, state.study.bounds)))
            for chosen in chunks(len(asked.people), size):
                yield partial(added_up, asked, mine, chosen)

    at_once = in_any_order(source) and not state.keep
    totals = reduce(add, in_threads(jobs()) if at_once else (job() for job in jobs()))
    return Collected(wave, tuple(map(_joined, kept)) if state.keep else (), totals)


def _joined(parts: list[Answers]) -> Answers:
    """Lay the answers of batches of people end to end."""
    return tuple(Marks.concatenate(list(marks)) for marks in zip(*parts, strict=True))
