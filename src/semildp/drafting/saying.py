"""A draft from words in order: a label, a feature or a category, and after each what belongs to it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from semildp.drafting.asking import new_name, read_number, read_values
from semildp.drafting.draft import LABEL, Draft, Item
from semildp.errors import InputError, refusal
from semildp.study import Category, Classes, Number

_WORDS = {"--text": "text", "--help-text": "help", "--unit": "unit"}


def add_item(draft: Draft, option: str, words: Sequence[str]) -> None:
    """Add to the draft what one option says."""
    if option in ("--label", "--classes"):
        if draft.label is not None:
            raise InputError(f"{option} must be given once. Got it twice: a study has one label.")
        domain = Classes(read_values(words[0])) if option == "--classes" else _number(option, words)
        draft.label = Item(LABEL, domain, private=True)
    elif option == "--feature":
        draft.features.append(Item(new_name(draft, words[0]), _number(f"--feature {words[0]}", words[1:])))
    elif option == "--category":
        draft.features.append(Item(new_name(draft, words[0]), Category(read_values(words[1]))))
    else:
        _describe(draft, option, words)
        return
    draft.last = draft.label if option in ("--label", "--classes") else draft.features[-1]


def read_moment(option: str, text: str | None) -> datetime | None:
    """Return a date with a time zone."""
    if text is None:
        return None
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        when = None
    if when is None or when.tzinfo is None:
        raise refusal(option, "a date with a time zone, like 2030-01-31T08:00:00+01:00", repr(text)[:60])
    return when


def _describe(draft: Draft, option: str, words: Sequence[str]) -> None:
    if draft.last is None:
        raise InputError(f"{option} must follow the --label, --feature or --category it belongs to. Got it before any.")
    if option == "--private":
        draft.last.private = True
    else:
        setattr(draft.last, _WORDS[option], words[0])


def _number(option: str, words: Sequence[str]) -> Number:
    try:
        return Number(*(read_number(word) for word in words))
    except InputError as problem:
        raise InputError(f"{option}: {problem}") from None
