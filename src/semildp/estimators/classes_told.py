"""A fitted study of classes in plain words: who was asked what, what it showed, and how far that is trusted."""

from __future__ import annotations

from dataclasses import dataclass

from semildp.estimators.class_records import ClassWave, Shares
from semildp.estimators.figures import rounded_up
from semildp.estimators.told import people, percent

_LISTED = 8  # classes, or effects, that a sentence names before it counts the rest


@dataclass(frozen=True)
class ClassesTold:
    """What there is to tell.

    Parameters
    ----------
    names, classes
        What features and classes are called.
    hidden
        Share of people who hide each feature.
    both
        Whether everyone is asked twice.
    waves
        What was asked.
    effects
        Features of each effect of the model, and its share of the variance that the public prediction leaves.
    prior, trust
        Estimated share of each class, and how far predictions are trusted.
    """

    names: tuple[str, ...]
    classes: tuple[str, ...]
    hidden: tuple[float, ...]
    both: bool
    waves: tuple[ClassWave, ...]
    effects: Shares
    prior: tuple[float, ...]
    trust: float


def tell_classes(told: ClassesTold) -> str:
    """Return the account of waves, effects and trust, as text."""
    lines = ["How people were asked:"]
    for wave in told.waves:
        if wave.shown is not None:
            lines.append(f"That showed: {_shown(told, wave.shown)}.")
        spent = f", and spent {rounded_up(wave.epsilon)} each" if told.both else ""
        lines.append(f"{people(wave.n_people)} asked for their class{spent}:")
        lines += [f"  {count:,} {_about(told, features)}" for features, count in wave.asked]
    return "\n".join([*lines, "", "What mattered:", *_mattered(told), *_trusted(told)])


def _about(told: ClassesTold, features: tuple[int, ...]) -> str:
    if not features:
        return "for that alone"
    names = " and ".join(told.names[j] for j in features)
    return f"with where their {names} lies" if len(features) == 1 else f"with where their {names} lie, jointly"


def _effect(told: ClassesTold, features: tuple[int, ...]) -> str:
    if len(features) == 1:
        return f"{told.names[features[0]]} alone"
    public = "" if told.hidden[features[1]] > 0.5 else " (public)"
    return f"{told.names[features[0]]} together with {told.names[features[1]]}{public}"


def _shown(told: ClassesTold, shown: Shares) -> str:
    if not shown:
        return "no effect of a private feature"
    parts = [f"{_effect(told, features)} {percent(share)}" for features, share in shown[:_LISTED]]
    more = f", and {len(shown) - _LISTED} smaller effects" if len(shown) > _LISTED else ""
    return ", ".join(parts) + more + " of the variance that the public prediction leaves"


def _mattered(told: ClassesTold) -> list[str]:
    private = [j for j, share in enumerate(told.hidden) if share > 0.5]
    if not private:
        return ["No feature is hidden by most people: probabilities are learnt from public features."]
    asked = {j for wave in told.waves for j in wave.features}
    if not asked:
        return ["No private feature is in the model: nobody was asked about one."]
    lines = []
    if told.effects:
        lines.append("Of the variance that the public prediction leaves, over all classes, this explains:")
        lines += [f"  {_effect(told, features)}: {percent(share)}" for features, share in told.effects]
    idle = sorted(asked - {j for features, _ in told.effects for j in features})
    if idle:
        lines.append(f"No effect was found of {', '.join(told.names[j] for j in idle)}.")
    return lines


def _trusted(told: ClassesTold) -> list[str]:
    """Say what the shares of classes are, and how far predictions go beyond them."""
    shares = ", ".join(f"{c} {percent(p)}" for c, p in list(zip(told.classes, told.prior, strict=True))[:_LISTED])
    more = f", and {len(told.classes) - _LISTED} more" if len(told.classes) > _LISTED else ""
    return [
        f"Shares of classes, as far as reports tell: {shares}{more}.",
        f"Predictions go {told.trust:g} times as far away from these shares as was learnt: at 0.1 reports of other "
        "people did not bear it out, at 1 they are as they were learnt.",
    ]
