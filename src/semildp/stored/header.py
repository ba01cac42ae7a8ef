"""What a file of stored reports says of itself: the study, the questions by wave, and the facts behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from semildp.curator.beliefs.partitions import FirstLabels
from semildp.curator.wave_plan import Plan
from semildp.curator.waves import State
from semildp.errors import InputError
from semildp.study import Study
from semildp.wire.codec import decode, encode
from semildp.wire.messages import VERSION, Question

KEY = b"semildp"  # under which the header stands in a file's metadata


class Facts(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The public numbers of a wave, beside its questions, that a model is made with.

    Parameters
    ----------
    spread, prior
        Where cell and residual are sent together: the guessed mean square of residuals, in units of the squared reach;
        the variance of the centres' own mean.
    unit, plan
        Where residuals are asked for in waves: their variance when the wave was planned, and what was asked of whom.
    waves
        In the first wave: how many there will be, where that is decided beforehand.
    first
        Where cell and residual are sent together: what the first wave's labels tell, for error bars.
    """

    spread: float | None = None
    prior: float | None = None
    unit: float | None = None
    plan: Plan | None = None
    waves: int | None = None
    first: FirstLabels | None = None

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Facts:
        """Take what is needed from a wave's facts."""
        numbers = {name: float(facts[name]) for name in ("spread", "prior", "unit") if name in facts}
        waves = len(facts["cohorts"]) if "cohorts" in facts else None
        return cls(**numbers, plan=facts.get("plan"), waves=waves, first=facts.get("first"))

    def told(self) -> dict[str, Any]:
        """Return them as a wave's facts."""
        cohorts = None if self.waves is None else (None,) * self.waves
        named: dict[str, Any] = {"spread": self.spread, "prior": self.prior, "unit": self.unit, "plan": self.plan}
        named |= {"cohorts": cohorts, "first": self.first}
        return {name: value for name, value in named.items() if value is not None}


class StoredWave(Struct, frozen=True, forbid_unknown_fields=True):
    """A wave: the name of its stream, its questions, and its facts."""

    stream: str
    questions: tuple[Question, ...]
    facts: Facts = Facts()

    @property
    def n_asks(self) -> int:
        """The most asks that a question has."""
        return max((len(question.asks) for question in self.questions), default=0)


class Header(Struct, frozen=True, forbid_unknown_fields=True, tag_field="message", tag="stored-reports"):
    """All of it.

    Parameters
    ----------
    study
        The study.
    waves
        The waves, in order.
    own_centres
        For each wave, whether people have centres of their own.
    seed
        Of the curator's own draws, in hexadecimal; None: not known. It protects nobody. Some trees need it again.
    """

    study: Study
    waves: tuple[StoredWave, ...]
    own_centres: tuple[bool, ...]
    seed: str | None = None
    version: int = VERSION

    @classmethod
    def of(cls, state: State, seed: int | None = None) -> Header:
        """Describe what a curator has collected."""
        if not state.done:
            raise InputError("Reports can be stored once the first wave was asked. Got none.")
        waves = tuple(
            StoredWave(done.wave.stream, tuple(a.question for a in done.wave.asked), Facts.of(done.wave.facts))
            for done in state.done
        )
        own = tuple(any(asked.centres is not None for asked in done.wave.asked) for done in state.done)
        return cls(state.study, waves, own, None if seed is None else f"{seed:x}")

    def to_bytes(self) -> bytes:
        """Return it as JSON."""
        return encode(self)

    @classmethod
    def read(cls, raw: bytes, name: str) -> Header:
        """Read it from JSON; what does not fit is refused, with the file's name."""
        try:
            header = decode(raw, cls)
        except InputError as problem:
            raise InputError(f"{name} must say of which study and questions its reports are. {problem}") from None
        asked = [question for wave in header.waves for question in wave.questions]
        fits = all(q.study == header.study.digest for q in asked) and all(w.questions for w in header.waves)
        if not asked or not fits or len(header.own_centres) != len(header.waves):
            raise InputError(f"{name} must have questions of its own study in every wave. Got others, or none.")
        return header
