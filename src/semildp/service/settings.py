"""How a study is collected: the table `[collection]` of the study's file."""

from __future__ import annotations

import tomllib
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from semildp.arrivals import asks_newcomers
from semildp.errors import InputError, refusal
from semildp.study import Study

MINIMUM = 100  # people; fewer reports, no estimate. A guess, of the size that official statistics use
LABEL = "label"  # the key under which the label's words are given

Instant = Annotated[datetime, Meta(tz=True)]
People = Annotated[int, Meta(ge=1, le=2**31)]


class Words(Struct, frozen=True, forbid_unknown_fields=True):
    """The words in which a feature is asked."""

    text: str = ""
    help: str = ""
    unit: str = ""


class Collection(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How people are invited, how many, for how long, and in which words they are asked.

    Parameters
    ----------
    people
        How many are expected.
    title, description, contact
        What people read before they decide; plain text. The title is the study's name unless it is given.
    access
        "invitation": each person needs a link of their own. "open": whoever comes may take part.
    minimum
        How many people must have reported before there is a model.
    visits
        "one-visit": people are asked when they come. "enrol-first": all enrol, then come back when they are asked.
    opens, closes
        When people may come, with a time zone. After `closes` the model is made of what is there.
    wave_hours
        The most hours that a wave, or the enrolment, stays open.
    questions
        By feature: its words. Those of the label are under "label".
    texts
        Path of a translation of the page's texts, next to the study's file.
    """

    people: People
    title: str = ""
    description: str = ""
    contact: str = ""
    access: Literal["invitation", "open"] = "invitation"
    minimum: People = MINIMUM
    visits: Literal["one-visit", "enrol-first"] | None = None
    opens: Instant | None = None
    closes: Instant | None = None
    wave_hours: Annotated[float, Meta(gt=0)] | None = None
    questions: dict[str, Words] = {}
    texts: str | None = None

    @classmethod
    def read(cls, path: str | Path) -> Collection:
        """Read the table from a study's file, with defaults filled in from the study."""
        return read_study_file(path)[1]

    def fit(self, study: Study) -> Collection:
        """Return the settings with the study's defaults; what does not fit the study is refused."""
        can = asks_newcomers(study)
        if self.visits == "one-visit" and not can:
            raise refusal(
                "visits",
                f'"enrol-first" for {study.protocol!r}, {study.participation!r}',
                '"one-visit"',
                "Leave it out.",
            )
        unknown = [name for name in self.questions if name not in (*study.names, LABEL)]
        if unknown:
            raise refusal("questions", "about features of the study, or label", repr(unknown[0])[:80])
        if self.opens is not None and self.closes is not None and self.closes <= self.opens:
            raise refusal("closes", "later than `opens`", self.closes.isoformat())
        return msgspec.structs.replace(
            self,
            title=self.title or study.name,
            visits=self.visits or ("one-visit" if can else "enrol-first"),
        )


def read_study_file(path: str | Path) -> tuple[Study, Collection]:
    """Read a study and how it is collected from one TOML file."""
    try:
        data = tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as problem:
        raise InputError(f"The study file {str(path)!r} could not be read: {problem.strerror}.") from None
    except ValueError as problem:
        raise InputError(f"The study file {str(path)!r} must be TOML in UTF-8. {str(problem).rstrip('.')}.") from None
    table = data.pop("collection", None)
    if table is None:
        raise InputError("A study that is served must have a table [collection]. Add it, with `people` at least.")
    study = Study.from_dict(data)
    return study, collection_from(table).fit(study)


def collection_from(table: Any) -> Collection:
    """Build the settings from what TOML holds; a wrong type, a missing or an unknown field is refused."""
    try:
        return msgspec.convert(table, Collection)
    except msgspec.ValidationError as problem:
        raise InputError(f"The table [collection] cannot be used: {str(problem).rstrip('.')}.") from None
