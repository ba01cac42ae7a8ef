"""EffectsDisplay: a panel per effect, axes in the features' own units, bands and bars as wide as they say."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression

from semildp import EffectsDisplay, HistOfTreeRegressor, InputError, SemiPrivateRegressor
from semildp.models import Effect
from semildp.models.places import even_cuts
from semildp.study import Category, Feature, Number, Study

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

BLOOD = ("A", "B", "AB", "0")
TOWNS = tuple(f"a town with number {j}" for j in range(40))
STUDY = Study(
    name="s",
    epsilon=1.0,
    label=Number(0.0, 10.0),
    features=(
        Feature("income", Number(0.0, 250_000.0)),
        Feature("blood", Category(BLOOD)),
        Feature("age $", Number(18.0, 90.0)),
        Feature("town", Category(TOWNS)),
    ),
    protocol="semi-private",
)
STEP = np.repeat([-1.0, 1.0], 4)


def effect(features, table, deviation):
    sizes = np.shape(table)
    shares = tuple((1 / k,) * k for k in sizes)
    values, spread = (tuple(np.broadcast_to(part, sizes).ravel().tolist()) for part in (table, deviation))
    return Effect(features, tuple(even_cuts(k) for k in sizes), shares, values, spread)


INCOME = effect((0,), STEP, np.linspace(0.1, 0.8, 8))
GROUP = effect((1,), [0.2, -0.3, 0.5, -0.4], [0.1, 0.2, 0.3, 0.4])
TOWN = effect((3,), np.sin(np.arange(40.0)), 0.1)
NUMBERS = effect((0, 2), np.outer(STEP, [0.5, -0.5, 0.1]), 0.25)
MIXED = effect((1, 2), np.outer([1.0, 2.0, -1.0, -2.0], [0.5, -0.5, 0.1]), 0.25)


class Fitted(SemiPrivateRegressor):
    """An estimator with effects that nobody was asked for."""

    def __init__(self, effects=()):
        self.effects_ = tuple(effects)
        self.study_ = STUDY


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def drawn(*effects, **how):
    return EffectsDisplay.from_estimator(Fitted(effects), **how)


def labels(axis):
    return [text.get_text() for text in axis.get_ticklabels()]


def test_one_panel_per_effect_with_its_features_in_title_and_labels():
    display = drawn(INCOME, GROUP, TOWN, NUMBERS, MIXED)
    titles = [panel.get_title(loc="left") for panel in display.axes_]
    assert titles == [
        "income alone",
        "blood alone",
        "town alone",
        r"income and age \$ together",
        "blood and age "
        r"\$ together",
    ]
    assert [panel.get_xlabel() for panel in display.axes_] == ["income", "blood", "town", "income", "blood"]
    assert [panel.get_ylabel() for panel in display.axes_[-2:]] == [r"age \$", r"age \$"]
    assert {panel.figure for panel in display.axes_} == {display.figure_}
    display.figure_.canvas.draw()  # no text fails to be drawn


def test_a_curve_is_drawn_in_steps_over_its_own_units_with_a_band_of_two_deviations():
    (panel,) = drawn(INCOME).axes_
    assert panel.get_xlim() == (0.0, 250_000.0)
    (stairs,) = panel.patches
    values, edges, _ = stairs.get_data()
    assert values == pytest.approx(STEP)
    assert edges == pytest.approx(np.linspace(0, 250_000, 9))
    (band,) = panel.collections
    corners = band.get_paths()[0].vertices
    last = corners[np.isclose(corners[:, 0], 250_000), 1]
    assert [last.min(), last.max()] == pytest.approx([1 - 1.6, 1 + 1.6])
    assert any("± 2 standard deviations" in text.get_text() for text in panel.texts)


def test_the_values_of_a_category_are_points_with_bars_by_their_names():
    (panel,) = drawn(GROUP).axes_
    points, _, (bars,) = panel.containers[0]
    assert points.get_ydata() == pytest.approx([0.2, -0.3, 0.5, -0.4])
    heights = [np.ptp(segment[:, 1]) for segment in bars.get_segments()]
    assert heights == pytest.approx([0.4, 0.8, 1.2, 1.6])
    assert labels(panel.xaxis) == list(BLOOD)


def test_many_values_are_thinned_and_told_apart():
    (panel,) = drawn(TOWN).axes_
    shown = labels(panel.xaxis)
    assert len(set(shown)) == len(shown) <= 16
    assert shown[0].endswith("ber 0")


def test_a_map_has_both_axes_in_their_own_units_and_white_at_0():
    numbers, mixed = drawn(NUMBERS, MIXED).axes_
    (mesh,) = numbers.collections
    assert np.allclose(mesh.get_array().T, NUMBERS.table)
    assert mesh.get_clim() == (-0.5, 0.5)
    assert (numbers.get_xlim(), numbers.get_ylim()) == ((0.0, 250_000.0), (18.0, 90.0))
    assert (mixed.get_xlim(), mixed.get_ylim()) == ((-0.5, 3.5), (18.0, 90.0))
    assert labels(mixed.xaxis) == list(BLOOD)
    assert any("standard deviation 0.25" in text.get_text() for text in numbers.texts)


def test_an_effect_of_nothing_but_zeros_is_drawn():
    drawn(effect((0, 2), np.zeros((3, 3)), 0.0)).figure_.canvas.draw()


@pytest.mark.parametrize(("features", "count"), [("blood", 2), ([0], 2), (["age $", "town"], 3), ([], 1), ((0, 1), 4)])
def test_features_choose_the_effects_they_have_a_part_in(features, count):
    display = drawn(INCOME, GROUP, TOWN, NUMBERS, MIXED, features=features)
    assert len(display.axes_) == count


@pytest.mark.parametrize("features", ["height", [4], [-1], [True], 1.5, [None], [["blood"]]])
def test_unknown_features_are_refused(features):
    with pytest.raises(InputError, match="`features` must be among"):
        drawn(INCOME, features=features)


def test_without_effects_a_sentence_is_on_the_canvas():
    (panel,) = drawn().axes_
    assert [text.get_text() for text in panel.texts] == [
        "No effect of a private feature was found, so there is nothing to draw."
    ]
    assert not panel.axison


def test_it_draws_on_axes_that_are_given():
    _, panel = plt.subplots()
    assert list(drawn(INCOME, ax=panel).axes_) == [panel]
    figure, panels = plt.subplots(1, 2)
    display = drawn(INCOME, GROUP, ax=panels)
    assert list(display.axes_) == list(panels)
    assert display.figure_ is figure
    figure, panel = plt.subplots()
    parts = drawn(INCOME, GROUP, ax=panel).axes_
    assert len(parts) == 2
    assert all(part.figure is figure for part in parts)
    assert not panel.axison


def test_axes_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="`ax` must be axes of matplotlib"):
        drawn(INCOME, ax=3)
    with pytest.raises(InputError, match=r"one subplot, or 3 axes, one per panel. Got 2 axes"):
        drawn(INCOME, GROUP, TOWN, ax=plt.subplots(1, 2)[1])
    with pytest.raises(InputError, match="Got 1 axes"):
        drawn(INCOME, GROUP, ax=plt.figure().add_axes((0, 0, 1, 1)))


def test_what_has_no_effects_is_refused():
    with pytest.raises(NotFittedError):
        EffectsDisplay.from_estimator(SemiPrivateRegressor())
    with pytest.raises(InputError, match=r"Got a LinearRegression. Only SemiPrivateRegressor"):
        EffectsDisplay.from_estimator(LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0]))
    with pytest.raises(InputError, match=r"`estimator` must be a fitted SemiPrivateRegressor. Got 3"):
        EffectsDisplay.from_estimator(3)
    fitted = HistOfTreeRegressor(4.0, label_bounds=(0, 1), feature_bounds=(0, 1), random_state=0)
    with pytest.raises(InputError, match="Got a HistOfTreeRegressor"):
        EffectsDisplay.from_estimator(fitted.fit([[0.0], [1.0]] * 9, [0.0, 1.0] * 9))


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr("semildp.estimators.drawing.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"needs matplotlib. Install it: pip install 'semildp\[plots\]'"):
        EffectsDisplay([INCOME], STUDY).plot()


def test_importing_the_display_does_not_import_matplotlib():
    code = "import sys, semildp; semildp.EffectsDisplay; print('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
