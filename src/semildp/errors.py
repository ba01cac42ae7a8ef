"""What semildp says when something is wrong: a refusal of input, a limit reached, a leak, bounds that waste people."""

from __future__ import annotations


class InputError(ValueError):
    """The input cannot be used; the sentence says what was required, what was got and what to do."""


class LimitError(InputError):
    """An answer would cost more than a person is still willing to spend."""


class PrivacyLeakWarning(UserWarning):
    """Something that should be public knowledge was read from private data."""


class WideBoundsWarning(UserWarning):
    """Label bounds are so much wider than the labels that most of the noise is for nothing."""


class EpsilonSearchWarning(UserWarning):
    """A search over epsilon answers no question of tuning: the largest fits best."""


def refusal(name: str, required: str, got: object, advice: str = "") -> InputError:
    """Build the one sentence form of every refusal."""
    sentence = f"`{name}` must be {required}. Got {got}."
    return InputError(f"{sentence} {advice}" if advice else sentence)
