"""Asking, on a terminal, for what a draft lacks. Each answer is checked at once; a wrong one is asked for again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from semildp._checks import privacy_parameter, whole_number
from semildp.drafting.draft import DENSITY, LABEL, Draft, Item
from semildp.errors import InputError, refusal
from semildp.study import Category, Classes, Number, check_name

Ask = Callable[[str], str]
Say = Callable[[str], object]
T = TypeVar("T")


def complete(draft: Draft, ask: Ask, say: Say) -> None:
    """Ask for everything that is missing.

    Parameters
    ----------
    draft
        What is known; it is filled in.
    ask
        Shows a question and returns the answer, as `input` does.
    say
        Shows a sentence, as `print` does.
    """
    say("A few questions; Ctrl-C stops and writes nothing.\n")
    if not draft.name:
        draft.name = _until(ask, say, "What is the study called? ", lambda text: _named("name", text))
    if draft.label is None and draft.protocol != DENSITY:
        say("\nThe label: the number, or the class, that is to be predicted. It is private for everyone.")
        what = _until(ask, say, "What is it, in the words of a question to people? ", lambda text: _named("text", text))
        question = "Its lowest and highest value, known without looking at data, or its classes (like yes, no)? "
        draft.label = Item(LABEL, _until(ask, say, question, _label), True, text=what)
    if not draft.features:
        say("\nThe features: what it is predicted from. An empty name ends the list.")
        while (item := _feature(draft, ask, say)) is not None:
            draft.features.append(item)
    if draft.epsilon is None:
        say("\nEpsilon: how much what a person sends may tell. 1 is strong, above 8 protects little.")
        draft.epsilon = _until(
            ask, say, "Epsilon? [1] ", lambda text: privacy_parameter("epsilon", read_number(text or "1"))
        )
    if draft.people is None:
        draft.people = _until(ask, say, "How many people do you expect? ", read_count)
        access = _until(
            ask, say, "Does each need an invitation, or may all come: invitation or open? [invitation] ", _access
        )
        draft.access = access
        draft.description = draft.description or ask("In one or two sentences for them: what is it for? ").strip()
        draft.contact = draft.contact or ask("Whom can they ask (an e-mail address, say)? ").strip()


def read_number(text: str) -> float:
    """Return a number that was written as text."""
    try:
        return float(text)
    except ValueError:
        raise refusal("number", "written like 12 or 0.5", repr(text)[:60]) from None


def read_bounds(text: str) -> tuple[float, float]:
    """Return two numbers, low < high."""
    parts = text.replace(";", " ").split()
    if len(parts) != 2:
        raise refusal("bounds", "two numbers with a space between, like: 0 100", repr(text)[:60])
    domain = Number(read_number(parts[0]), read_number(parts[1]))
    return domain.low, domain.high


def read_values(text: str) -> tuple[str, ...]:
    """Return the values of a category, which stand between commas."""
    return Category(tuple(value.strip() for value in text.split(","))).values


def read_count(text: str) -> int:
    """Return a number of people."""
    plain = text.strip().replace(",", "").replace("_", "")
    if not plain.isdecimal():
        raise refusal("number of people", "a whole number", repr(text)[:60])
    return whole_number("number of people", int(plain), 1, 2**31)


def new_name(draft: Draft, name: str) -> str:
    """Return a feature's name, if it can be one."""
    check_name("name of a feature", name)
    if name == LABEL or name in (item.name for item in draft.features):
        raise InputError(f"A feature needs a name of its own, other than {LABEL!r}. Got {name!r}. Choose another.")
    return name


def _feature(draft: Draft, ask: Ask, say: Say) -> Item | None:
    """Ask for one feature; None when there are enough."""

    def name_or_end(text: str) -> str:
        if not text and not draft.features:
            raise InputError("A study needs one feature at least.")
        return new_name(draft, text) if text else ""

    name = _until(ask, say, f"\nFeature {len(draft.features) + 1}: its name (short)? ", name_or_end)
    if not name:
        return None
    text = ask(f"  In the words of a question to people? [{name}] ").strip()
    domain = _until(
        ask, say, "  Lowest and highest value (like 0 100), or the values of a category (like a, b, c)? ", _domain
    )
    private = _until(ask, say, "  Private for everyone, or may each person choose: all or each? [each] ", _who)
    return Item(name, domain, private, text=text)


def _domain(text: str) -> Number | Category:
    return Category(read_values(text)) if "," in text else Number(*read_bounds(text))


def _label(text: str) -> Number | Classes:
    return Classes(read_values(text)) if "," in text else Number(*read_bounds(text))


def _who(text: str) -> bool:
    if text not in ("", "all", "each"):
        raise refusal("answer", "all or each", repr(text)[:60])
    return text == "all"


def _access(text: str) -> str:
    if text not in ("", "invitation", "open"):
        raise refusal("answer", "invitation or open", repr(text)[:60])
    return text or "invitation"


def _named(what: str, text: str) -> str:
    check_name(what, text)
    return text


def _until(ask: Ask, say: Say, question: str, read: Callable[[str], T]) -> T:
    """Ask until the answer can be used."""
    while True:
        try:
            return read(ask(question).strip())
        except InputError as problem:
            say(f"  {problem}")
