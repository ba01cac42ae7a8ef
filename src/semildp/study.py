"""The study: the one public document that says what is asked of everyone, under which epsilon, by which protocol."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import force_setattr

from semildp._checks import one_of, privacy_parameter
from semildp._json import strict_json
from semildp.domains import FeatureBounds, check_interval
from semildp.errors import InputError, refusal

VERSION = 1
LONGEST_NAME, MOST_FEATURES, MOST_VALUES = 200, 2**16, 2**16
PARTICIPATIONS = ("split", "both")

Setting = bool | int | float | str


class Number(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="number"):
    """A number between public bounds."""

    low: float
    high: float

    def __post_init__(self) -> None:
        low, high = check_interval("low, high", self.low, self.high)
        force_setattr(self, "low", low)  # a whole number would be written otherwise, and have another digest
        force_setattr(self, "high", high)


class Category(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="category"):
    """One of a public list of values that have no order. A value's code is its place in the list."""

    values: tuple[str, ...]

    def __post_init__(self) -> None:
        check_values(self.values)


class Classes(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="classes"):
    """A label that is one of a public list of classes."""

    values: tuple[str, ...]

    def __post_init__(self) -> None:
        check_values(self.values)


class Feature(Struct, frozen=True, forbid_unknown_fields=True):
    """A named feature, its public domain, and whether everyone keeps it private."""

    name: str
    domain: Number | Category
    private: bool = False

    def __post_init__(self) -> None:
        check_name("name of a feature", self.name)


class Study(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is asked, for estimators, devices, audit and service alike: public, fixed before the first answer.

    Parameters
    ----------
    name
        What the study is called.
    epsilon
        The most a person spends in all, on label and private features jointly.
    features
        Named features with their domains; those marked private are so for everyone, the others as each person chooses.
    label
        Domain of the label, which is always private.
    protocol
        Name of the protocol that decides what is asked; see `semildp.protocols`.
    settings
        The protocol's settings; what is left out has its default there.
    participation
        "split": a person answers in one wave, with all of epsilon. "both": in all, and epsilon is divided.
    hide_mask
        If true, people answer as though every feature were private, and the guarantee covers their choice as well.
    version
        Version of this document's form.
    """

    name: str
    epsilon: float
    label: Number | Classes
    features: tuple[Feature, ...]
    protocol: str = "semi-private"
    settings: dict[str, Setting] = {}
    participation: Literal["split", "both"] = "split"
    hide_mask: bool = False
    version: int = VERSION

    def __post_init__(self) -> None:
        if type(self.version) is not int or self.version != VERSION:
            raise InputError(f"A study must be of version {VERSION}. Got {self.version!r}. Write it anew.")
        check_name("name", self.name)
        check_name("protocol", self.protocol)
        force_setattr(self, "epsilon", privacy_parameter("epsilon", self.epsilon))
        one_of("participation", self.participation, PARTICIPATIONS)
        names = [feature.name for feature in self.features]
        if not 0 < len(names) <= MOST_FEATURES or len(set(names)) != len(names):
            raise refusal(
                "features", f"1 to {MOST_FEATURES}, each with a name of its own", f"{len(names)}: {names[:5]}"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features, in order."""
        return tuple(feature.name for feature in self.features)

    @property
    def bounds(self) -> FeatureBounds:
        """The box of all features as numbers; of v values of a category, code j stands in the middle of [j-½, j+½]."""
        ends = [_ends(feature.domain) for feature in self.features]
        return FeatureBounds(tuple(low for low, _ in ends), tuple(high for _, high in ends), self.names)

    @property
    def n_values(self) -> tuple[int | None, ...]:
        """How many values each category has; None for a number."""
        return tuple(len(f.domain.values) if isinstance(f.domain, Category) else None for f in self.features)

    @property
    def label_bounds(self) -> tuple[float, float]:
        """Bounds of a label that is a number."""
        if not isinstance(self.label, Number):
            raise refusal("label", f"a number for the protocol {self.protocol!r}", "classes")
        return self.label.low, self.label.high

    def to_json(self) -> bytes:
        """Return the study as JSON, always the same bytes for the same study."""
        return msgspec.json.encode(self, order="deterministic")

    @property
    def digest(self) -> str:
        """SHA-256 of `to_json`, in hexadecimal: the name by which questions refer to the study."""
        return hashlib.sha256(self.to_json()).hexdigest()

    @classmethod
    def from_dict(cls, data: Any) -> Study:
        """Build a study from what JSON or TOML holds; a wrong type, a missing or an unknown field is refused."""
        try:
            return msgspec.convert(data, cls)
        except msgspec.ValidationError as problem:
            raise InputError(f"The study cannot be used: {problem}.") from None

    @classmethod
    def from_toml(cls, text: str) -> Study:
        """Read a study from TOML."""
        try:
            return cls.from_dict(tomllib.loads(text))
        except tomllib.TOMLDecodeError as problem:
            raise InputError(f"A study must be TOML. {problem}.") from None

    @classmethod
    def read(cls, path: str | Path) -> Study:
        """Read a study from a file: TOML, or JSON where the name ends in .json."""
        place = Path(path)
        try:
            raw = place.read_bytes()
            if place.suffix == ".json":
                return cls.from_dict(strict_json(raw))
            return cls.from_toml(raw.decode("utf-8"))
        except OSError as problem:
            raise InputError(f"The study file {path} could not be read: {problem.strerror or problem}.") from None
        except UnicodeDecodeError:
            raise InputError(f"The study file {path} must be in UTF-8. Got other bytes.") from None


def is_name(name: str) -> bool:
    """Whether something can be called so."""
    return 0 < len(name) <= LONGEST_NAME and name.isprintable()


def check_name(what: str, name: str) -> None:
    """Refuse names that are empty, too long or not printable."""
    if not is_name(name):
        raise refusal(what, f"1 to {LONGEST_NAME} printable characters", repr(name)[:60])


def check_values(values: tuple[str, ...]) -> None:
    """Refuse lists of values that are too short, too long or name one twice."""
    if not 2 <= len(values) <= MOST_VALUES or len(set(values)) != len(values):
        raise refusal("values", f"2 to {MOST_VALUES} different words", f"{len(values)}: {list(values[:5])}")
    for value in values:
        check_name("a value", value)


def _ends(domain: Number | Category) -> tuple[float, float]:
    return (domain.low, domain.high) if isinstance(domain, Number) else (-0.5, len(domain.values) - 0.5)
