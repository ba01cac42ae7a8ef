"""A progress bar on a terminal, by tqdm if it is installed."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Any


class _Silent:
    """A bar that shows nothing."""

    def update(self, many: int) -> None:
        """Do nothing."""


def progress_bar(total: int | None, unit: str) -> Any:
    """Return a context with `update(many)`; it shows something only on a terminal."""
    if not sys.stderr.isatty():
        return nullcontext(_Silent())
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        return nullcontext(_Silent())
    return tqdm(total=total, unit=f" {unit}", file=sys.stderr, leave=False)
