"""One person in hundred, at random, sends the true cell; what is stated is the honest law."""

from __future__ import annotations

from semildp.audit import Visit
from tests.broken.clients import sometimes_bare


def build() -> Visit:
    return sometimes_bare(100)
