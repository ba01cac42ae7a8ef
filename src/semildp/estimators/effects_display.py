"""EffectsDisplay: what private features add to a prediction, one panel per effect, axes in the features' own units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from semildp._checks import short
from semildp.errors import InputError, refusal
from semildp.estimators.drawing import need_matplotlib, panels_on
from semildp.estimators.effect_panels import draw_curve, draw_map, draw_values
from semildp.estimators.names import listed
from semildp.models import Effect
from semildp.study import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NOTHING = "No effect of a private feature was found, so there is nothing to draw."


class EffectsDisplay:
    """What private features add to the public prediction.

    One feature is drawn as a curve over its own units (values of a category as points), with a band of two standard
    deviations on either side; two features together as a heat map. Needs matplotlib.

    Parameters
    ----------
    effects
        What is drawn, one panel each; `effects_` of a fitted `SemiPrivateRegressor`.
    study
        Names and bounds or values of the features; `study_` of the estimator.

    Attributes
    ----------
    figure_
        The figure, once drawn.
    axes_
        One entry per effect; a single one with a sentence if there is no effect.
    """

    def __init__(self, effects: Sequence[Effect], study: Study) -> None:
        self.effects = tuple(effects)
        self.study = study

    @classmethod
    def from_estimator(cls, estimator: Any, features: Any = None, ax: Any = None) -> Self:
        """Draw the effects of a fitted estimator.

        Parameters
        ----------
        estimator
            A fitted `SemiPrivateRegressor`.
        features
            Names or indices: effects that none of them has a part in are left out. None: all are drawn.
        ax
            Where to draw: axes that are divided into panels, or one per effect. None: a new figure.

        Returns
        -------
        EffectsDisplay
        """
        if not hasattr(estimator, "fit"):
            raise refusal("estimator", "a fitted SemiPrivateRegressor", short(estimator))
        check_is_fitted(estimator)
        study, effects = getattr(estimator, "study_", None), getattr(estimator, "effects_", None)
        if study is None or effects is None:
            advice = "Only SemiPrivateRegressor finds effects of private features."
            raise refusal("estimator", "a fitted SemiPrivateRegressor", f"a {type(estimator).__name__}", advice)
        if features is not None:
            wanted = _indices(features, study.names)
            effects = [effect for effect in effects if wanted & set(effect.features)]
        return cls(effects, study).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the panels on `ax`, as in `from_estimator`."""
        need_matplotlib("EffectsDisplay")
        panels = panels_on(ax, max(len(self.effects), 1))
        for panel, effect in zip(panels, self.effects, strict=False):
            if len(effect.features) == 2:
                draw_map(panel, effect, self.study)
            elif self.study.n_values[effect.features[0]] is None:
                draw_curve(panel, effect, self.study)
            else:
                draw_values(panel, effect, self.study)
        if not self.effects:
            panels[0].set_axis_off()
            panels[0].text(0.5, 0.5, _NOTHING, ha="center", va="center", wrap=True, transform=panels[0].transAxes)
        self.axes_: Any = np.array(panels, dtype=object)
        self.figure_: Figure = panels[0].get_figure(root=True)  # type: ignore[assignment]
        return self


def _indices(features: Any, names: tuple[str, ...]) -> set[int]:
    """Return the positions of features that are given by name or by index; one alone need not be in a list."""
    if isinstance(features, str | int | np.integer) or not isinstance(features, Iterable):
        features = [features]
    found = set()
    for feature in features:
        if isinstance(feature, str) and feature in names:
            found.add(names.index(feature))
        elif isinstance(feature, int | np.integer) and not isinstance(feature, bool) and 0 <= feature < len(names):
            found.add(int(feature))
        else:
            raise _unknown(feature, names)
    return found


def _unknown(feature: Any, names: tuple[str, ...]) -> InputError:
    return refusal("features", f"among {listed(names)}, or indices from 0 to {len(names) - 1}", short(feature))
