"""What the pictures of demo and experiments share has one home, and neither guest knows the other."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from plots import palette, spread_out

ROOT = Path(__file__).parents[1]
GUESTS = {"examples": "experiments", "experiments": "examples"}


def test_labels_do_not_overlap():
    heights = np.array([0.5, 0.51, 0.9, 0.5, 0.0, 0.01])
    placed = spread_out(heights, 0.06)
    assert (np.diff(np.sort(placed)) > 0.0599).all()
    assert placed[2] == 0.9


def test_labels_are_moved_apart_in_order():
    spread = spread_out(np.array([0.5, 0.51, 0.0, 0.9]), 0.1)
    assert np.all(np.diff(spread[[2, 0, 1, 3]]) >= 0.1 - 1e-12)
    assert spread[[2, 3]] == pytest.approx([0.0, 0.9])


@pytest.mark.parametrize("guest", GUESTS)
def test_palette_and_placement_are_written_down_once_and_guests_are_strangers(guest):
    colours = "|".join(re.escape(value) for value in vars(palette).values() if str(value).startswith("#"))
    for path in (ROOT / guest).rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(f"{colours}|def spread_out", text), path
        assert not re.search(rf"^\s*(from|import) {GUESTS[guest]}\b", text, re.MULTILINE), path
