"""Non-interference of estimators on frames: categories that some hide, unknown words, missing entries."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from semildp import PrivacyLeakWarning
from tests.flow.blind import blind_mechanisms
from tests.flow.people import choices, crowd
from tests.flow.watched import differences, seen
from tests.flow.ways import WAYS

_, Y = crowd()
N = len(Y)
VALUES = {"town": ["north", "south", "west"], "pet": ["cat", "dog"]}
BOUNDS = {"age": (0.0, 1.0), **VALUES, "height": (0.0, 1.0)}
CHOSEN = [way for way in WAYS if "defaults" in way or "line, 8" in way or way in ("ParDT", "KRR", "Hist")]
CHANGES = ("all others", "all the same", "unknown words", "missing")


def frame(seed: int) -> pd.DataFrame:
    """Two numbers and two categories."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.uniform(size=N),
            "town": pd.Series(rng.choice(VALUES["town"], N), dtype=object),
            "pet": pd.Series(rng.choice(VALUES["pet"], N), dtype=object),
            "height": rng.uniform(size=N),
        }
    )


def others(change: str, mask: np.ndarray) -> tuple[pd.DataFrame, np.ndarray]:
    """Return a frame and labels that differ in what is private only."""
    rng, new = np.random.default_rng(7), frame(7)
    if change == "all the same":
        new = new.assign(age=0.25, town="west", pet="cat", height=1.0)
    elif change == "unknown words":
        new = new.assign(town=[f"place {i}" for i in range(N)], pet="unheard of")
    elif change == "missing":
        new = new.astype(object).where(rng.uniform(size=new.shape) < 0.5, None)
    changed = frame(1)
    for j, name in enumerate(changed):
        changed[name] = changed[name].where(~mask[:, j], new[name]).astype(changed[name].dtype)
    return changed, rng.uniform(-2.0, 4.5, size=N)


@pytest.mark.parametrize("chosen", ["personal", "all"])
@pytest.mark.parametrize("way", CHOSEN)
def test_nothing_seen_depends_on_private_categories(way, chosen, monkeypatch):
    blind_mechanisms(monkeypatch)
    mask, queries = choices()[chosen], frame(3)

    def watch(X, y):
        def build():
            return WAYS[way](random_state=0, clip=True, feature_bounds=BOUNDS)

        return seen(build, X, y, mask, queries)

    first = watch(frame(1), Y)
    assert first["error"] is None
    for change in CHANGES:
        assert differences(first, watch(*others(change, mask))) == [], change


def test_the_changes_are_changes_and_of_private_entries_alone():
    mask = choices()["personal"]
    for change in CHANGES:
        changed, _ = others(change, mask)
        same = np.array([[a == b for a, b in zip(changed[name], frame(1)[name], strict=True)] for name in changed]).T
        assert same[~mask].all()
        assert not same[mask].all()


@pytest.mark.parametrize("way", CHOSEN)
def test_values_that_are_read_from_the_data_are_warned_of_and_in_the_account(way):
    bounds = {name: given for name, given in BOUNDS.items() if name != "town"}
    with pytest.warns(PrivacyLeakWarning, match="values of town"):
        model = WAYS[way](random_state=0, feature_bounds=bounds).fit(frame(1), Y, mask=choices()["personal"])
    assert model.privacy_.leaks == ("values of town",)
