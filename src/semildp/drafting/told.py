"""What a study asks and guarantees, in plain words."""

from __future__ import annotations

import math

from semildp.service.settings import Collection
from semildp.study import Category, Number, Study


def told(study: Study, collection: Collection | None) -> list[str]:
    """Return the lines that say what is asked, what is guaranteed, and how people are reached."""
    return [*_asked(study, collection), "", *_guaranteed(study), *(["", *_reached(collection)] if collection else [])]


def _asked(study: Study, collection: Collection | None) -> list[str]:
    lines = [f"{study.name!r} asks each person for"]
    for feature in study.features:
        who = "private for everyone" if feature.private or study.hide_mask else "public or private, as each chooses"
        lines.append(f"  - {feature.name}: {_domain(feature.domain)}; {who}")
    if study.label is not None:
        lines.append(f"  - the label: {_domain(study.label)}; private for everyone")
    return lines


def _guaranteed(study: Study) -> list[str]:
    """Say what epsilon means: e^epsilon, and how sure somebody who thought 1 : 1 can become at most."""
    factor, sure = math.exp(min(study.epsilon, 700)), 1 / (1 + math.exp(-study.epsilon))
    covered = "features and the choice of what to hide" if study.hide_mask else "private features"
    if study.label is not None:
        covered = f"label, {covered}" if study.hide_mask else f"label and {covered}"
    lines = [
        f"What it guarantees (epsilon {study.epsilon:g}):",
        f"  Whatever a person's {covered} are, all that the person sends is at most",
        f"  e^{study.epsilon:g} = {factor:,.3g} times as likely as if they were anything else.",
        "  Whoever holds two possibilities about a person for equally likely, and sees what was sent,",
        f"  can be at most {100 * sure:.4g} % sure of one of them.",
    ]
    if not study.hide_mask:
        lines.append("  Public features, and which features are private, are sent as they are.")
    return lines


def _reached(collection: Collection) -> list[str]:
    how = {"invitation": "a link for each of them", "open": "one link for everybody"}[collection.access]
    visits = {
        "one-visit": "Everyone is asked at once when they come, and visits once.",
        "enrol-first": "Everyone enrols first, and comes back when they are asked.",
    }
    lines = [
        "How people are reached:",
        f"  {collection.people:,} people are expected, by {how}.",
        f"  {visits[collection.visits or 'one-visit']}",
        f"  There is no model from fewer than {collection.minimum:,} people.",
    ]
    if collection.opens is not None:
        lines.append(f"  It opens {collection.opens:%Y-%m-%d %H:%M %Z}.")
    if collection.closes is not None:
        lines.append(f"  It closes {collection.closes:%Y-%m-%d %H:%M %Z}.")
    return lines


def _domain(domain: Number | Category | object) -> str:
    if isinstance(domain, Number):
        return f"a number from {domain.low:g} to {domain.high:g}"
    values = getattr(domain, "values", ())
    few = ", ".join(values[:6]) + (", ..." if len(values) > 6 else "")
    return f"one of {len(values)} values ({few})"
