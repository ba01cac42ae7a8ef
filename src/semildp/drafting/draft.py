"""A study that is being written: what was said so far, checked as it is said, and in the end its file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from semildp.errors import refusal
from semildp.study import Category, Classes, Feature, Number, Study
from semildp.study_toml import toml_value

LABEL = "label"  # the key of the label's words
DENSITY = "hist-of-tree-density"  # the protocol that has none
_BARE = re.compile(r"[A-Za-z0-9_-]+")


@dataclass
class Item:
    """A feature, or the label: its public domain and the words in which people are asked for it."""

    name: str
    domain: Number | Category | Classes
    private: bool = False
    text: str = ""
    help: str = ""
    unit: str = ""

    @property
    def words(self) -> dict[str, str]:
        """The words that were given."""
        given = {"text": self.text, "help": self.help, "unit": self.unit}
        return {key: value for key, value in given.items() if value}


@dataclass
class Draft:
    """What is known of a study that is being written. Fields have the names that they have in its file."""

    name: str = ""
    epsilon: float | None = None
    label: Item | None = None
    features: list[Item] = field(default_factory=list)
    protocol: str = "semi-private"
    participation: str = "split"
    hide_mask: bool = False
    people: int | None = None
    minimum: int = 100
    access: str = "invitation"
    title: str = ""
    description: str = ""
    contact: str = ""
    opens: datetime | None = None
    closes: datetime | None = None
    wave_hours: float | None = None
    last: Item | None = None  # what was named last

    def missing(self) -> list[str]:
        """Return the options that say what is still missing."""
        gaps = {
            "--name": not self.name,
            "--epsilon": self.epsilon is None,
            "--label LOW HIGH or --classes A,B": self.label is None and self.protocol != DENSITY,
            "--feature NAME LOW HIGH or --category NAME A,B,C": not self.features,
            "--people": self.people is None,
        }
        return [option for option, gap in gaps.items() if gap]

    def study(self) -> Study:
        """Return the study, strictly checked."""
        domain = None if self.label is None else self.label.domain
        unsaid = domain is None and self.protocol != DENSITY
        if self.epsilon is None or unsaid or isinstance(domain, Category):
            raise refusal("study", "complete", "a draft without " + ", ".join(self.missing()))
        return Study(
            name=self.name,
            epsilon=self.epsilon,
            label=domain,
            features=tuple(Feature(item.name, item.domain, item.private) for item in self.features),  # type: ignore[arg-type]
            protocol=self.protocol,
            participation=self.participation,  # type: ignore[arg-type]
            hide_mask=self.hide_mask,
        )


def draft_toml(draft: Draft) -> str:
    """Return the study's file: every line with a comment that says what it decides."""
    study = draft.study()
    lines = [*_HEAD, f"name = {toml_value(study.name)}", ""]
    lines += [*_EPSILON, f"epsilon = {study.epsilon!r}", ""]
    if study.label is not None:
        lines += [*_LABEL, f"label = {_domain(study.label)}", ""]
    lines += [*_PROTOCOL, f"protocol = {toml_value(study.protocol)}", ""]
    lines += [*_PARTICIPATION, f"participation = {toml_value(study.participation)}", ""]
    lines += [*_HIDE_MASK, f"hide_mask = {toml_value(study.hide_mask)}", "", *_FEATURES]
    for feature in study.features:
        who = "private for everyone" if feature.private else "each person chooses"
        lines += ["[[features]]", f"name = {toml_value(feature.name)}", f"domain = {_domain(feature.domain)}"]
        lines += [f"private = {toml_value(feature.private)}  # {who}", ""]
    return "\n".join([*lines, *_collection(draft)]) + "\n"


def _collection(draft: Draft) -> list[str]:
    """Return the table of how people are reached."""
    lines = [*_COLLECTION, "[collection]"]
    known = {
        "title": (draft.title or draft.name, "what people see first"),
        "description": (draft.description, "purpose, who asks, how long it is kept"),
        "contact": (draft.contact, "whom to ask, and how to withdraw"),
        "access": (draft.access, '"invitation": a link for each person; "open": one link for all'),
        "people": (draft.people, "how many you expect: the questions are planned for so many"),
        "minimum": (draft.minimum, "fewer reports, no model"),
    }
    lines += [f"{key} = {toml_value(value)}  # {why}" for key, (value, why) in known.items()]
    lines.append(_moment("opens", draft.opens, "2030-01-31T08:00:00+01:00", "when people may come"))
    lines.append(_moment("closes", draft.closes, "2030-03-31T20:00:00+02:00", "when the last report is taken"))
    hours = f"wave_hours = {draft.wave_hours!r}" if draft.wave_hours else "# wave_hours = 72"
    lines += [f"{hours}  # the most hours that a wave stays open", "", *_QUESTIONS]
    asked = [*((item.name, item) for item in draft.features), *([(LABEL, draft.label)] if draft.label else [])]
    for key, item in asked:
        words = {"text": item.text or item.name, **item.words}
        lines.append(f"[collection.questions.{_key(key)}]")
        lines += [*(f"{name} = {toml_value(value)}" for name, value in words.items()), ""]
    return lines[:-1]


def _domain(domain: Number | Category | Classes) -> str:
    if not isinstance(domain, Number):
        kind = "category" if isinstance(domain, Category) else "classes"
        return f'{{kind = "{kind}", values = {toml_value(list(domain.values))}}}'
    return f'{{kind = "number", low = {domain.low!r}, high = {domain.high!r}}}'


def _key(name: str) -> str:
    """Return a name as TOML's key; bare where it can be."""
    return name if _BARE.fullmatch(name) else toml_value(name)


def _moment(name: str, when: datetime | None, example: str, why: str) -> str:
    return f"# {name} = {example}  # {why}" if when is None else f"{name} = {when.isoformat()}  # {why}"


def _comment(*sentences: str) -> Sequence[str]:
    return [f"# {sentence}".rstrip() for sentence in sentences]


_HEAD = _comment(
    "A study for semildp. `semildp study check FILE` says what it guarantees; docs/run-a-study.md goes through it.",
    "All but [collection] is fixed once the first person has come: it is what people agree to.",
    "",
    "What the study is called. Devices keep their accounts under this name.",
)
_EPSILON = _comment(
    "The most a person spends, on label and private features together. Whatever they are, what is sent is at most",
    "e^epsilon times as likely as if they were anything else: 1 is strong, above 8 protects little.",
)
_LABEL = _comment(
    "What is to be predicted, always private. Take bounds from general knowledge, not from data: narrow ones are",
    "worth many people, and what lies outside is moved to the nearer one. Or a public list of classes.",
)
_PROTOCOL = _comment("How people are asked. docs/which-estimator.md says which there are.")
_PARTICIPATION = _comment(
    '"split": a person answers once, with all of epsilon. "both": in every wave, with parts of it.'
)
_HIDE_MASK = _comment("true: which features somebody hides is private too, and all are asked as though hidden.")
_FEATURES = _comment(
    "What predicts it. A public feature is sent as it is; a private one never leaves the device as it is."
)
_COLLECTION = _comment(
    "How people are reached and asked. Words and dates may be changed while the study runs (start the server anew);",
    "access, people and visits may not.",
)
_QUESTIONS = _comment("The words in which people are asked: `text`, and if you like `help` and `unit`.")
