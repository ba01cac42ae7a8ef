"""The study: the one public document that says what is asked of everyone, under which epsilon, by which protocol."""

from __future__ import annotations

import hashlib
import numbers
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import force_setattr

from semildp._checks import finite_number, one_of, privacy_parameter, short, true_or_false, whole_number
from semildp._json import strict_json
from semildp.domains import FeatureBounds, check_interval
from semildp.errors import InputError, refusal
from semildp.study_toml import write_toml

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
        force_setattr(self, "low", low + 0.0)  # as floats, and without -0.0: equal numbers have the same bytes
        force_setattr(self, "high", high + 0.0)


class Category(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="category"):
    """One of a public list of values that have no order. A value's code is its place in the list."""

    values: tuple[str, ...]

    def __post_init__(self) -> None:
        force_setattr(self, "values", check_values(self.values))


class Classes(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="classes"):
    """A label that is one of a public list of classes."""

    values: tuple[str, ...]

    def __post_init__(self) -> None:
        force_setattr(self, "values", check_values(self.values))


class Feature(Struct, frozen=True, forbid_unknown_fields=True):
    """A named feature, its public domain, and whether everyone keeps it private."""

    name: str
    domain: Number | Category
    private: bool = False

    def __post_init__(self) -> None:
        check_name("name of a feature", self.name)
        if not isinstance(self.domain, Number | Category):
            raise refusal("domain", "a Number or a Category", short(self.domain))
        force_setattr(self, "private", true_or_false("private", self.private))


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
        Domain of the label, which is always private; None: there is none, and the study is about features alone.
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
    label: Number | Classes | None = None
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
        if not isinstance(self.label, Number | Classes | None):
            raise refusal("label", "a Number, Classes, or None", short(self.label))
        one_of("participation", self.participation, PARTICIPATIONS)
        force_setattr(self, "hide_mask", true_or_false("hide_mask", self.hide_mask))
        force_setattr(self, "settings", check_settings(self.settings))
        if not isinstance(self.features, list | tuple) or not all(isinstance(f, Feature) for f in self.features):
            raise refusal("features", "a tuple of Feature", short(self.features))
        force_setattr(self, "features", tuple(self.features))
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
        return _box(tuple(_ends(feature.domain) for feature in self.features), self.names)

    @property
    def n_values(self) -> tuple[int | None, ...]:
        """How many values each category has; None for a number."""
        return tuple(len(f.domain.values) if isinstance(f.domain, Category) else None for f in self.features)

    @property
    def label_bounds(self) -> tuple[float, float]:
        """Bounds of a label that is a number."""
        if not isinstance(self.label, Number):
            got = "none" if self.label is None else "classes"
            raise refusal("label", f"a number for the protocol {self.protocol!r}", got)
        return self.label.low, self.label.high

    @property
    def classes(self) -> tuple[str, ...]:
        """The list of a label that is one of a list of classes."""
        if not isinstance(self.label, Classes):
            raise refusal("label", f"classes for the protocol {self.protocol!r}", "a number")
        return self.label.values

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
        except (msgspec.ValidationError, UnicodeError) as problem:  # the latter: half of a character
            raise InputError(f"The study cannot be used: {str(problem).rstrip('.')}.") from None

    @classmethod
    def from_json(cls, text: bytes | str) -> Study:
        """Read a study from JSON; a field that is named twice and a number that is not finite are refused too."""
        return cls.from_dict(strict_json(text))

    def to_toml(self) -> str:
        """Return the study as TOML, which `from_toml` reads back to an equal study."""
        return write_toml({name: value for name, value in msgspec.to_builtins(self).items() if value is not None})

    @classmethod
    def from_toml(cls, text: str) -> Study:
        """Read a study from TOML; a table [collection], on how people are reached, is not part of it."""
        if not isinstance(text, str):
            raise refusal("text", "TOML", short(text))
        try:
            data = tomllib.loads(text)
        except (ValueError, RecursionError) as problem:
            raise InputError(f"A study must be TOML. {str(problem).rstrip('.')}.") from None
        data.pop("collection", None)
        return cls.from_dict(data)

    @classmethod
    def read(cls, path: str | Path) -> Study:
        """Read a study from a file: TOML, or JSON where the name ends in .json."""
        try:
            place = Path(path)
            raw = place.read_bytes()
            if place.suffix == ".json":
                return cls.from_json(raw)
            return cls.from_toml(raw.decode("utf-8"))
        except UnicodeDecodeError:
            raise InputError(f"The study file {short(str(path))} must be in UTF-8. Got other bytes.") from None
        except InputError:
            raise
        except (OSError, TypeError, ValueError) as problem:  # ValueError: a path with a null byte
            reason = getattr(problem, "strerror", None) or str(problem)
            raise InputError(f"The study file {short(str(path))} could not be read: {reason}.") from None


def is_name(name: object) -> bool:
    """Whether something can be called so."""
    return isinstance(name, str) and 0 < len(name) <= LONGEST_NAME and name.isprintable()


def check_name(what: str, name: object) -> None:
    """Refuse names that are empty, too long or not printable."""
    if not is_name(name):
        raise refusal(what, f"1 to {LONGEST_NAME} printable characters", short(name))


def check_values(values: object) -> tuple[str, ...]:
    """Return a list of values as a tuple; one that is too short, too long or names a value twice is refused."""
    if not isinstance(values, list | tuple):
        raise refusal("values", "a list of words", short(values))
    for value in values:
        check_name("a value", value)
    if not 2 <= len(values) <= MOST_VALUES or len(set(values)) != len(values):
        raise refusal("values", f"2 to {MOST_VALUES} different words", f"{len(values)}: {short(list(values[:5]))}")
    return tuple(values)


def check_settings(settings: object) -> dict[str, Setting]:
    """Return settings in plain types; other values, and numbers that JSON does not hold exactly, are refused."""
    if not isinstance(settings, Mapping):
        raise refusal("settings", "a mapping from names to values", short(settings))
    checked: dict[str, Setting] = {}
    for name, value in settings.items():
        check_name("name of a setting", name)
        what = f"settings[{short(name)}]"
        if isinstance(value, bool | np.bool_):
            checked[name] = bool(value)
        elif isinstance(value, str):
            check_name(what, value)
            checked[name] = str(value)
        elif isinstance(value, numbers.Integral):
            checked[name] = whole_number(what, value, -(2**53), 2**53)
        else:
            checked[name] = finite_number(what, value, "text, a finite number, true or false")
    return checked


@lru_cache(maxsize=32)  # asked for at every step, and checked when it is built
def _box(ends: tuple[tuple[float, float], ...], names: tuple[str, ...]) -> FeatureBounds:
    return FeatureBounds(tuple(low for low, _ in ends), tuple(high for _, high in ends), names)


def _ends(domain: Number | Category) -> tuple[float, float]:
    return (domain.low, domain.high) if isinstance(domain, Number) else (-0.5, len(domain.values) - 0.5)
