"""A fitted SemiPrivate study in plain words: who was asked what, what it showed, and what was not asked, and why."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from semildp.estimators.figures import rounded_up
from semildp.estimators.wave_records import LabelWave, ResidualWave

_LISTED = 8  # features that a sentence names before it counts the rest
Shares = tuple[tuple[tuple[int, ...], float], ...]


@dataclass(frozen=True)
class Told:
    """What there is to tell.

    Parameters
    ----------
    names
        What the features are called.
    hidden
        Share of people who hide each of them.
    bounds
        The label bounds.
    epsilon, n_people, both
        What a person spends in all, how many there are, and whether everyone is asked for label and residual.
    waves
        What was asked.
    effects
        Features of each effect of the model, and its share of the residuals' variance, the largest first.
    """

    names: tuple[str, ...]
    hidden: tuple[float, ...]
    bounds: tuple[float, float]
    epsilon: float
    n_people: int
    both: bool
    waves: tuple[LabelWave | ResidualWave, ...]
    effects: Shares

    @property
    def private(self) -> tuple[int, ...]:
        """The features that most people hide: the public prediction does without them."""
        return tuple(j for j, share in enumerate(self.hidden) if share > 0.5)

    @property
    def residuals(self) -> tuple[ResidualWave, ...]:
        """The waves that asked for residuals."""
        return tuple(wave for wave in self.waves if isinstance(wave, ResidualWave))


def tell(told: Told) -> str:
    """Return the account of waves, effects and features that were left out, as text."""
    lines = ["How people were asked:", *_labels(told)]
    for place, wave in enumerate(told.residuals):
        lines += _residuals(told, wave, place)
    if not told.residuals:
        lines.append("Nobody was asked about features: everyone was needed for labels.")
    return "\n".join([*lines, "", "What mattered:", *_mattered(told), *_left_out(told)])


def _labels(told: Told) -> list[str]:
    """Say how many people were asked for labels, and one line for each window."""
    waves = [wave for wave in told.waves if isinstance(wave, LabelWave)]
    windows: list[list[LabelWave]] = []
    for wave in waves:
        if windows and (windows[-1][0].low, windows[-1][0].high) == (wave.low, wave.high):
            windows[-1].append(wave)
        else:
            windows.append([wave])
    total, counts = sum(w.n_people for w in waves), [sum(w.n_people for w in part) for part in windows]
    spent = f", and spent {rounded_up(waves[0].epsilon)} each" if told.both and waves else ""
    if len(windows) == 1:
        return [f"{people(total)} asked for their label, {_between(told, windows[0][0])}{spent}."]
    lines = [f"{people(total)} asked for their label{spent}. The window follows where labels seem to lie:"]
    return lines + [f"  {n:,} {_between(told, part[0])}" for part, n in zip(windows, counts, strict=True)]


def _between(told: Told, window: LabelWave) -> str:
    """Say where a window lies; the label bounds as they were given."""
    if (window.low, window.high) == told.bounds:
        return f"between {window.low:g} and {window.high:g} (the label bounds)"
    return f"between {within(window.low, window)} and {within(window.high, window)}"


def _residuals(told: Told, wave: ResidualWave, place: int) -> list[str]:
    """Say what a wave of residuals asked, and, if it had an earlier one to learn from, what that had shown."""
    lines = [] if wave.shown is None else [f"That showed: {_shown(told, wave.shown)}."]
    when = "Then" if place + 1 == len(told.residuals) else "To probe,"
    spent = f", and spent {rounded_up(wave.epsilon)} each" if told.both else ""
    lines.append(
        f"{when} {people(wave.n_people)} asked how far their label lies from the public prediction, cut at "
        f"{wave.reach:.3g} on either side{spent}:"
    )
    turned = dict(wave.turned)
    for features, count in wave.asked:
        together = count - turned.get(features, 0)
        lines += [f"  {together:,} {_about(told, features)}"] * (together > 0)
        lines += [f"  {count - together:,} {_turned(told, features)}"] * (together < count)
    return lines


def _about(told: Told, features: tuple[int, ...]) -> str:
    if not features:
        return "for that alone"
    if len(features) == 1:
        return f"with where their {told.names[features[0]]} lies"
    return f"with where their {listed(told, features)} lie, jointly"


def _turned(told: Told, features: tuple[int, ...]) -> str:
    """Say that the number that was sent had its sign changed or not, by where features lie."""
    if not features:
        return "for that alone"
    lie = "lies" if len(features) == 1 else "lie"
    return f"for that with its sign changed or not by where their {listed(told, features)} {lie}"


def _shown(told: Told, shown: Shares) -> str:
    """Say what effects had been found; a list of none is said in words."""
    if not shown:
        return "no effect of a private feature"
    parts = [f"{effect_name(told, features)} {percent(share)}" for features, share in shown[:_LISTED]]
    more = f", and {len(shown) - _LISTED} smaller effects" if len(shown) > _LISTED else ""
    return ", ".join(parts) + more + " of the variance that the public prediction leaves"


def _mattered(told: Told) -> list[str]:
    """Say what each effect of the model explains, and which features were asked about and have none."""
    if not told.private:
        return ["No feature is hidden by most people: the prediction is learnt from labels and public features."]
    asked = {j for wave in told.residuals for j in wave.features}
    lines = []
    if told.effects:
        deviation = math.sqrt(told.residuals[-1].variance) if told.residuals else math.nan
        lines.append(
            f"Of the variance that the public prediction leaves (standard deviation {deviation:.2g}), this explains:"
        )
        lines += [f"  {effect_name(told, features)}: {percent(share)}" for features, share in told.effects]
    idle = asked - {j for features, _ in told.effects for j in features}
    if idle:
        lines.append(f"No effect was found of {listed(told, sorted(idle))}.")
    if not asked:
        lines.append("No private feature is in the model: nobody was asked about one.")
    return lines


def _left_out(told: Told) -> list[str]:
    """Say which features were not asked about, or not again, and why."""
    waves = told.residuals
    ever = {j for wave in waves for j in wave.features}
    again = waves[-1].features if waves else frozenset[int]()
    seen = {j for features, _ in (waves[-1].shown or () if waves else ()) for j in features}
    once = [j for j in told.private if j in ever and j not in again]
    limits = f"at epsilon {told.epsilon:g} with {told.n_people:,} {'person' if told.n_people == 1 else 'people'}"
    reasons = (
        ("Not asked about, because nobody hides", [j for j, share in enumerate(told.hidden) if share == 0], ""),
        ("Not asked about, because most people show", [j for j, s in enumerate(told.hidden) if 0 < s <= 0.5], ""),
        ("Not asked about, because not expected to pay", [j for j in told.private if j not in ever], f" {limits}"),
        ("Not asked about again, because nothing showed", [j for j in once if j not in seen], ""),
        ("Not asked about again, because not expected to pay", [j for j in once if j in seen], f" {limits}"),
    )
    return [f"{why}{more}: {listed(told, which)}." for why, which, more in reasons if which]


def effect_name(told: Told, features: tuple[int, ...]) -> str:
    """Return the features of an effect by name: alone, or together with another, which may be public."""
    if len(features) == 1:
        return f"{told.names[features[0]]} alone"
    first, second = features
    public = "" if second in told.private else " (public)"
    return f"{told.names[first]} together with {told.names[second]}{public}"


def listed(told: Told, features: Sequence[int]) -> str:
    """Return the names of features, the first few if there are many."""
    names = [told.names[j] for j in features]
    if len(names) > _LISTED + 1:
        return ", ".join(names[:_LISTED]) + f" and {len(names) - _LISTED:,} more"
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" and {names[-1]}"


def people(count: int) -> str:
    """Return how many people were.

    Examples
    --------
    >>> people(1), people(2500)
    ('1 person was', '2,500 people were')
    """
    return "1 person was" if count == 1 else f"{count:,} people were"


def percent(share: float) -> str:
    """Return a share in percent, never rounded to nothing and never above all.

    Examples
    --------
    >>> percent(0.1234), percent(0.0123), percent(0.0000123), percent(1.2)
    ('12 %', '1.2 %', 'less than 0.1 %', 'nearly all')
    """
    if share >= 0.995:
        return "nearly all"
    if share < 0.001:
        return "less than 0.1 %"
    return f"{100 * share:.0f} %" if share >= 0.0995 else f"{100 * share:.1f} %"


def within(end: float, window: LabelWave) -> str:
    """Return an end of a window, to three digits of the window's width.

    Examples
    --------
    >>> within(-0.04321, LabelWave(1, -0.04321, 3.2, 1.0)), within(1234567.8, LabelWave(1, 0.0, 1234567.8, 1.0))
    ('-0.04', '1,234,568')
    """
    width = window.high - window.low
    places = max(2 - math.floor(math.log10(width)), 0) if width > 0 else 3
    if places > 12 or abs(end) >= 1e15:
        return f"{end:.15g}"
    text = f"{end:,.{places}f}"
    return "0" if float(text.replace(",", "")) == 0 else text
