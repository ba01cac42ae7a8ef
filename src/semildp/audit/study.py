"""What is to be audited: a small file of public numbers."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from semildp._checks import one_of, parse_json, privacy_parameter, whole_number
from semildp.budgets import Budget
from semildp.domains import check_interval
from semildp.errors import InputError, refusal
from semildp.mechanisms import CELL_MECHANISMS, LABEL_MECHANISMS

VERSION = 1
PARTICIPATIONS = ("split", "both")
MASKS = ("open", "hidden")


@dataclass(frozen=True)
class AuditStudy:
    """The terms of a study, as far as an audit needs them.

    Parameters
    ----------
    epsilon
        What each person spends in all.
    label_bounds
        (low, high) of the label.
    label_share
        Share of epsilon that the label takes where a person answers in both rounds.
    bins
        Bins per private feature.
    levels
        Levels of the residual in joint reports of bin and residual.
    label_mechanisms, cell_mechanisms
        Names of the mechanisms of the two rounds.
    participation
        "split": each person answers in one round, with all of epsilon. "both": in both.
    masks
        "open": masks and public features are sent. "hidden": people act as though everything were private.
    baselines
        Whether to audit the clients of the baselines KRR and Hist as well; they take as long as all others.
    """

    epsilon: float = 1.0
    label_bounds: tuple[float, float] = (0.0, 1.0)
    label_share: float = 0.5
    bins: int = 2
    levels: int = 3
    label_mechanisms: tuple[str, ...] = tuple(LABEL_MECHANISMS)
    cell_mechanisms: tuple[str, ...] = tuple(CELL_MECHANISMS)
    participation: tuple[str, ...] = PARTICIPATIONS
    masks: tuple[str, ...] = MASKS
    baselines: bool = False

    def __post_init__(self) -> None:
        privacy_parameter("epsilon", self.epsilon)
        Budget(self.epsilon, self.label_share)
        if not isinstance(self.label_bounds, list | tuple) or len(self.label_bounds) != 2:
            raise refusal("label_bounds", "two finite numbers, low < high", repr(self.label_bounds))
        object.__setattr__(self, "label_bounds", check_interval("label_bounds", *self.label_bounds))
        whole_number("bins", self.bins, 2, 64)
        whole_number("levels", self.levels, 2, 64)
        if not isinstance(self.baselines, bool):
            raise refusal("baselines", "true or false", repr(self.baselines))
        choices = {
            "label_mechanisms": tuple(LABEL_MECHANISMS),
            "cell_mechanisms": tuple(CELL_MECHANISMS),
            "participation": PARTICIPATIONS,
            "masks": MASKS,
        }
        for name, allowed in choices.items():
            object.__setattr__(self, name, _chosen(name, getattr(self, name), allowed))

    def as_dict(self) -> dict[str, Any]:
        """Return what a study file holds."""
        return {"version": VERSION, **asdict(self)}

    def to_json(self) -> str:
        """Return the study as JSON."""
        return json.dumps(self.as_dict(), indent=2, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> AuditStudy:
        """Read a study; what is left out has its default, another version or an unknown field is refused."""
        data = parse_json("A study", text)
        version = data.pop("version", VERSION)
        if type(version) is not int or version != VERSION:
            raise InputError(f"A study must be of version {VERSION}. Write it anew for this version of semildp.")
        known = [field.name for field in fields(cls)]
        for name in data:
            one_of("study", name, known)
        return cls(**data)

    @classmethod
    def read(cls, path: Path) -> AuditStudy:
        """Read a study from a file."""
        try:
            return cls.from_json(path.read_text(encoding="utf-8"))
        except OSError as problem:
            raise InputError(f"The study file {path} could not be read: {problem.strerror or problem}.") from None
        except UnicodeDecodeError:
            raise InputError(f"The study file {path} must be JSON in UTF-8. Got other bytes.") from None


def _chosen(name: str, given: Any, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """Return one name or several as a tuple of allowed ones, each once."""
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not names:
        raise refusal(name, "one or more of " + ", ".join(map(repr, allowed)), repr(given))
    return tuple(dict.fromkeys(one_of(name, each, allowed) for each in names))
