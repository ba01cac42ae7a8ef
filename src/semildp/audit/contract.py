"""What an audit needs of the strangers it is given, checked before anything long is done."""

from __future__ import annotations

from typing import Any

from semildp._checks import short, whole_number
from semildp.errors import refusal

FEWEST_TRIALS, MOST_TRIALS = 1, 1 << 30
_MEMBERS = ("epsilon", "n_values", "randomise", "log_probability")


def check_mechanism(mechanism: Any) -> None:
    """Refuse what does not look like a mechanism; what it does is found out later."""
    if isinstance(mechanism, type) or not all(hasattr(mechanism, name) for name in _MEMBERS):
        raise refusal("mechanism", f"an object with {', '.join(_MEMBERS)}", short(mechanism))


def check_trials(trials: object) -> int:
    """Return the number of trials, or refuse it."""
    return whole_number("trials", trials, FEWEST_TRIALS, MOST_TRIALS)
