"""The model of stored reports: by one scan where the protocol adds reports up, else from all of them in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from semildp.backends import Backend, Part, Threads, nothing
from semildp.backends.base import Done
from semildp.curator.transcript import Transcript
from semildp.curator.waves import Batch
from semildp.errors import InputError
from semildp.models import Model
from semildp.protocols import AddsUp, StudyProtocol, next_step, protocol_of
from semildp.stored.account import Account, AccountTally
from semildp.stored.gathering import gathered, unseen
from semildp.stored.header import Header
from semildp.stored.parts import Reports
from semildp.stored.rows import Rows, Summed, WaveTally

MOST_IN_MEMORY = 3_000_000  # people whose rows are held, unless more is allowed: some 2 GB with ten features


@dataclass(frozen=True, eq=False)
class Scanned:
    """What one scan finds: the last wave's totals, and who spent what."""

    last: Summed
    account: Account

    def __add__(self, other: Scanned) -> Scanned:
        return Scanned(self.last + other.last, self.account + other.account)


@dataclass(frozen=True, eq=False)
class ScanTally:
    """Adds up the last wave, and the account, in one go."""

    last: WaveTally

    def __call__(self, rows: Rows) -> Scanned:
        """Return what some people add to them."""
        return Scanned(self.last(rows), AccountTally()(rows))


def fit_reports(
    reports: Reports,
    backend: Backend | None = None,
    done: Done = nothing,
    *,
    most_in_memory: int = MOST_IN_MEMORY,
) -> Model:
    """Make the model of stored reports: to the last bit that of the curator who collected them.

    Parameters
    ----------
    reports
        The files, from `open_reports`.
    backend
        Where scans run; None: the threads of this process.
    done
        Is told of how many people the reports have been read since it was last told.
    most_in_memory
        A protocol whose learner needs people's rows is refused for more people than this.
    """
    return fit_parts(reports.header, reports.parts, backend, done, most_in_memory=most_in_memory)


def fit_parts(
    header: Header,
    parts: Sequence[Part[Rows]],
    backend: Backend | None = None,
    done: Done = nothing,
    *,
    most_in_memory: int = MOST_IN_MEMORY,
) -> Model:
    """Make the model of reports that any parts hold; see `fit_reports`."""
    protocol = protocol_of(header.study)
    told = header.waves[0].facts.waves
    if told is not None and told > len(header.waves):
        raise _too_early(header)
    tally = last_tally(header, protocol)
    if tally is None:
        return _fit_in_memory(header, protocol, parts, done, most_in_memory)
    scan = ScanTally(WaveTally(len(header.waves) - 1, tally))
    found = (backend or Threads()).fold(scan, parts, done)
    if not found.last.n_reports:
        raise InputError(f"Somebody must have answered in wave {len(header.waves)}, the last. Got nobody.")
    totals = [None] * (len(header.waves) - 1) + [found.last.totals]
    return _model(header, protocol.next(unseen(header, totals))).replace(found.account.spent(header))


def last_tally(header: Header, protocol: StudyProtocol) -> Callable[[Batch], Any] | None:
    """Return how the last wave is added up; None: the learner needs rows."""
    last = header.waves[-1]
    return protocol.tally(header.study, last.questions[0], last.facts.told()) if isinstance(protocol, AddsUp) else None


def _fit_in_memory(
    header: Header, protocol: StudyProtocol, parts: Sequence[Part[Rows]], done: Done, most_in_memory: int
) -> Model:
    n_people = sum(map(len, parts))
    if n_people > most_in_memory:
        raise InputError(
            f"The learner of {header.study.protocol!r} holds everybody's reports in memory: at most {most_in_memory:,} "
            f"people are read. Got {n_people:,}. Allow more where there is memory (--in-memory), or leave files out."
        )
    state = gathered(header, protocol, parts, done)
    return _model(header, next_step(protocol, state)).replace(Transcript.of(state).spent)


def _model(header: Header, step: object) -> Model:
    if isinstance(step, Model):
        return step
    raise _too_early(header)


def _too_early(header: Header) -> InputError:
    return InputError(
        f"Reports of all waves are needed for a model. Got {len(header.waves)}, after which more is asked. "
        "Collect the study to its last wave, and export it then."
    )
