"""What was spent, by whom, under which definition: printed from the objects that spent it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from msgspec import structs

from semildp.estimators.account_page import account_page
from semildp.estimators.figures import rounded_up
from semildp.models import Spent

_SEEDED = (
    "Randomness came from `random_state`: this fit is a simulation and not private. Whoever knows or finds the seed "
    "can take the noise off every report."
)
_AGAIN = (
    "This is one fit. Each further fit on the same people (a refit, a fold of a cross-validation, a candidate of a "
    "search) asks them again and adds what it spends; BudgetAccountant adds it up."
)


@dataclass(frozen=True)
class PrivacyAccount:
    """The privacy cost of one fit.

    Parameters
    ----------
    epsilon
        The most that anybody spent, on label and private features jointly.
    groups
        People by how many features they hide.
    sent
        In plain words, what left a person's device.
    leaks
        Bounds that were taken from the data; the guarantee does not cover them.
    simulated
        Whether randomness came from `random_state`, of whatever kind: such a fit is not private.
    mask_hidden
        Whether the guarantee covers the mask as well.
    labelled
        Whether there was a label; it is private.
    """

    epsilon: float
    groups: tuple[Spent, ...]
    sent: tuple[str, ...]
    leaks: tuple[str, ...] = ()
    simulated: bool = False
    mask_hidden: bool = False
    labelled: bool = True

    @property
    def definition(self) -> str:
        """The guarantee in one sentence."""
        fixed = "Nothing held fixed" if self.mask_hidden else "With public features and mask held fixed"
        private = "label and private features" if self.labelled else "private features"
        return (
            f"{fixed}, the joint distribution of everything a person sends changes by a factor of at most "
            f"e^{rounded_up(self.epsilon)} when {private} change arbitrarily "
            f"({rounded_up(self.epsilon)}-semi-feature local differential privacy)."
        )

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the guarantee does not cover in this fit."""
        notes = [f"{name} was taken from the data: not covered by the guarantee." for name in self.leaks]
        if self.simulated:
            notes.append(_SEEDED)
        return tuple(notes)

    def as_dict(self) -> dict[str, Any]:
        """Return the account in plain types, which `json.dumps` takes; numbers are not rounded."""
        return {
            "epsilon": float(self.epsilon),
            "definition": self.definition,
            "groups": [{**structs.asdict(group), "total": group.total} for group in self.groups],
            "sent": list(self.sent),
            "leaks": list(self.leaks),
            "simulated": self.simulated,
            "mask_hidden": self.mask_hidden,
            "caveats": list(self.caveats),
            "further_fits": _AGAIN,
        }

    def as_text(self) -> str:
        """Return the account as plain text."""
        head = f"{'private features':>16}  {'people':>9}  {'label':>8}  {'features':>8}  {'total':>8}"
        rows = [
            f"{g.n_private:>16}  {g.n_people:>9,}" + "".join(f"  {figure:>8}" for figure in _figures(g))
            for g in self.groups
        ]
        lines = [self.definition, "", "Spent per person (epsilon):", head, *rows, _AGAIN, "", "What left a device:"]
        lines += [f"  - {item}" for item in self.sent]
        lines += [f"Caution: {note}" for note in self.caveats]
        return "\n".join(lines)

    def as_html(self) -> str:
        """Return the account as an HTML fragment, which a notebook shows by itself."""
        rows = [(str(g.n_private), f"{g.n_people:,}", *_figures(g)) for g in self.groups]
        return account_page(self.definition, rows, _AGAIN, self.sent, self.caveats)

    def _repr_html_(self) -> str:
        return self.as_html()


def _figures(group: Spent) -> tuple[str, str, str]:
    """Return what one of them spent on the label, on features and in all, as printed: rounded up."""
    return rounded_up(group.label_epsilon), rounded_up(group.feature_epsilon), rounded_up(group.total)
