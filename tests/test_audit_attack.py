"""The attack on floating-point noise: it breaks the textbook's, and fails against ours."""

from __future__ import annotations

import json

import pytest

from semildp import cli
from semildp.audit import command
from semildp.audit.attack import attack_floating_point
from semildp.sources import SeededSource


@pytest.fixture(scope="module")
def attacked():
    return attack_floating_point(1.0, source=SeededSource(0))


def test_the_attack_breaks_float_noise_and_fails_against_the_grid(attacked):
    """An event of probability 0.27 that never happens under the other label; false alarm of the bounds 1e-6."""
    textbook, numpys, ours = attacked
    for naive in (textbook, numpys):
        assert naive.broken
        assert naive.hits > 0.2 * naive.reports
        assert naive.misses == 0
        assert min(naive.proven, naive.search.epsilon) > 5.0
    assert ours.ours
    assert not ours.broken
    assert ours.hits == ours.misses == 0
    assert 0.85 < ours.search.epsilon <= 1.0


def test_the_attack_on_the_command_line(attacked, capsys, monkeypatch):
    monkeypatch.setattr(command, "attack_floating_point", lambda epsilon, source: attacked)
    assert cli.main(["audit", "--attack", "floating-point"]) == 0
    assert "BROKEN" in capsys.readouterr().out
    assert cli.main(["audit", "--attack", "floating-point", "--json"]) == 0
    assert [row["broken"] for row in json.loads(capsys.readouterr().out)["rows"]] == [True, True, False]
