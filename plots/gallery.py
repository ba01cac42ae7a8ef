"""Draws the pictures of docs/gallery.md from the page's own code: `python -m plots.gallery`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib

PAGE = Path(__file__).parent.parent / "docs" / "gallery.md"
_DRAWN = re.compile(r"^```python\n(.*?)^```\n\n!\[[^]]*\]\((images/gallery/[\w-]+\.png)\)$", re.DOTALL | re.MULTILINE)


def drawings(page: Path = PAGE) -> Iterator[tuple[str, str]]:
    """Yield the code of each picture, and the picture's file beside the page."""
    yield from _DRAWN.findall(page.read_text(encoding="utf-8"))


def draw(page: Path = PAGE) -> Iterator[tuple[str, Any]]:
    """Run the blocks in order, in one namespace, and yield each picture's file with the figure."""
    matplotlib.use("Agg")
    names: dict[str, Any] = {}
    for code, target in drawings(page):
        names.pop("figure", None)
        exec(compile(code, f"{page.name}: {target}", "exec"), names)  # nosec B102: a page of ours
        yield target, names["figure"]


def main() -> None:
    """Save all pictures."""
    for target, figure in draw():
        place = PAGE.parent / target
        place.parent.mkdir(exist_ok=True)
        figure.savefig(place, dpi=110, facecolor="white")
        print(place)


if __name__ == "__main__":
    main()
