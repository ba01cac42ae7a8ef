"""What is allowed in a study and yet probably not meant, each with what to do."""

from __future__ import annotations

from datetime import datetime

from semildp.service.settings import LABEL, Collection
from semildp.study import Study

WEAK = 8.0  # epsilon above which an observer can be more than 99.96 % sure
FEW_PER_EPSILON = 1000  # people times epsilon² below which little can be learnt. A guess, after docs/which-estimator.md
MANY_VALUES = 50  # of a private category. A guess: each value is told apart only by noise that grows with their number


def advice(study: Study, collection: Collection | None, now: datetime) -> list[str]:
    """Return sentences; none if nothing catches the eye."""
    found = _about_study(study)
    return found if collection is None else found + _about_people(study, collection, now)


def _about_study(study: Study) -> list[str]:
    found = []
    if study.epsilon > WEAK:
        found.append(f"Epsilon {study.epsilon:g} protects little. Take {WEAK:g} or less, and more people.")
    found += [
        f"{name!r} has {count} values: hidden, they can hardly be told apart. Merge some."
        for name, count in zip(study.names, study.n_values, strict=True)
        if count is not None and count > MANY_VALUES
    ]
    return found


def _about_people(study: Study, collection: Collection, now: datetime) -> list[str]:
    found = []
    if collection.minimum > collection.people:
        found.append(
            f"No model can come of it: {collection.people:,} people are expected and {collection.minimum:,} are the "
            "minimum. Lower `minimum` or invite more."
        )
    elif collection.people * min(study.epsilon, 1.0) ** 2 < FEW_PER_EPSILON:
        found.append(
            f"{collection.people:,} people at epsilon {study.epsilon:g} will teach little more than the average label. "
            "Try it: `semildp simulate`."
        )
    if collection.closes is not None and collection.closes <= now:
        found.append(f"`closes` has passed ({collection.closes.isoformat()}). Choose a later date.")
    if collection.closes is None and collection.wave_hours is None:
        found.append(
            "Nothing ends a wave that too few people answer: set `closes` or `wave_hours`, or close it yourself."
        )
    if not collection.description or not collection.contact:
        found.append("People should read what it is for and whom to ask: fill in `description` and `contact`.")
    if collection.access == "open":
        found.append("With an open link anybody can send as many reports as they like. Invitations prevent that.")
    silent = [name for name in (*study.names, LABEL) if name not in collection.questions]
    if silent:
        found.append(f"These are asked for by their bare names: {', '.join(silent[:5])}. Give them a `text`.")
    return found
